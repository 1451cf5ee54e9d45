#include "reports/formats.h"

/* The data behind the document, not its looks: names in it are stable, see
 * harness/cmd/cmd_report.h. */
static void render(const struct doc *d, const struct doc_style *style, struct buf *out)
{
	(void)style;
	if (!d->data) {
		buf_puts(out, "{}\n");
		return;
	}
	if (d->fill)
		d->fill(d->data, d->ctx);
	js_write(d->data, JS_PRETTY, out);
	if (out->len == 0 || out->data[out->len - 1] != '\n')
		buf_putc(out, '\n');
}

const struct report_ops report_json = {
	.name = "json",
	.summary = "the figures and verdicts behind the report, for programs",
	.render = render,
};
