#include "bench/base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

void address_text(const struct sockaddr *a, char out[ADDRESS_TEXT])
{
	const char *text = NULL;
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	out[0] = '\0';
	if (a->sa_family == AF_INET) {
		memcpy(&four, a, sizeof(four));
		text = inet_ntop(AF_INET, &four.sin_addr, out, ADDRESS_TEXT);
	} else if (a->sa_family == AF_INET6) {
		memcpy(&six, a, sizeof(six));
		text = IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)
		               ? inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], out, ADDRESS_TEXT)
		               : inet_ntop(AF_INET6, &six.sin6_addr, out, ADDRESS_TEXT);
	}
	if (!text)
		out[0] = '\0';
}

void address_of_peer(int fd, char out[ADDRESS_TEXT])
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);

	out[0] = '\0';
	if (getpeername(fd, (struct sockaddr *)&a, &len) == 0)
		address_text((const struct sockaddr *)&a, out);
}

bool address_make(const char *text, int port, struct inet_address *out)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	*out = (struct inet_address){ .len = 0 };
	if (inet_pton(AF_INET, text, &four.sin_addr) == 1) {
		memcpy(&out->sa, &four, sizeof(four));
		out->len = sizeof(four);
	} else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1) {
		memcpy(&out->sa, &six, sizeof(six));
		out->len = sizeof(six);
	}
	return out->len > 0;
}
