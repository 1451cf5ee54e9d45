/* IP addresses as text. */
#ifndef HPCBENCH_BASE_ADDRESS_H
#define HPCBENCH_BASE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

enum { ADDRESS_TEXT = 64 };

/* An address with a port, as socket calls take it. */
struct inet_address {
	struct sockaddr_storage sa;
	socklen_t len;
};

/* "" where it is no IP address; IPv4 within IPv6 is told as IPv4. */
void address_text(const struct sockaddr *a, char out[ADDRESS_TEXT]);
/* Of the other end of a connection; "" where that is not known. */
void address_of_peer(int fd, char out[ADDRESS_TEXT]);
/* Numeric text to an address; false where it is none. */
bool address_make(const char *text, int port, struct inet_address *out);

#endif
