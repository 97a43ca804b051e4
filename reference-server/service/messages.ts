import { BASE_PATH } from './router.ts';

/** One TCP connection of a client; the same value for every request on it. */
export interface Connection {
  readonly id: number;
  readonly remoteAddress: string;
  /** Closes it at once, whatever is under way on it. */
  readonly drop: () => void;
}

/** A request as the service sees it; the edge makes it of an HTTP message when the header section is complete. */
export interface ServiceRequest {
  readonly method: string;
  /** Request target as it stood on the wire (RFC 9112, section 3.2). */
  readonly target: string;
  /** Header fields in order of arrival: name, value, name, value … */
  readonly headers: readonly string[];
  readonly connection: Connection;
  /** Reads the content; call it at most once. It never rejects. */
  readonly readBody: () => Promise<BodyReading>;
}

/** A request for the list that no client has sent. */
export const LIST_REQUEST: ServiceRequest = {
  method: 'GET',
  target: `${BASE_PATH}/inventory`,
  headers: [],
  connection: { id: 0, remoteAddress: '', drop: () => undefined },
  readBody: () => Promise.resolve({ state: 'broken' }),
};

/** `broken`: the framing was malformed, or the client went away. */
export type BodyReading =
  | { readonly state: 'complete'; readonly bytes: Uint8Array }
  | { readonly state: 'too-large'; readonly maximumBytes: number }
  | { readonly state: 'broken' };

/** A response as it goes to the wire; the edge adds only what belongs to the connection. */
export interface ServiceResponse {
  readonly status: number;
  /** Header fields in order: name, value, name, value … */
  readonly headers: string[];
  /** A string holds ASCII only. */
  readonly body: string | Uint8Array;
  /** Writes the whole message otherwise than node does, to a client of HTTP/1.`minor`; each piece goes out in a packet of its own. */
  readonly spell?: (message: Buffer, minor: number) => readonly Buffer[];
  /** Is called if the client had closed its connection before; one that closed only its half of it gets the response. */
  readonly onLost?: () => void;
}

/** What listens to requests; both methods are pure of transport. */
export interface Service {
  readonly respond: (request: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>;
  /** The answer if there is no well-formed request, or if `respond` threw. */
  readonly refuse: (refusal: MessageRefusal) => ServiceResponse;
}

export interface MessageRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Further header fields: name, value, name, value … */
  readonly headers?: readonly string[];
}

/** A message, or what becomes one; header fields in order: name, value, name, value … */
interface WithHeaders {
  readonly headers: readonly string[];
}

/** The value of the first field of that name, in any letter-case. */
export function headerOf({ headers }: WithHeaders, name: string): string | undefined {
  const at = indexOfHeader(headers, name);
  return at === -1 ? undefined : headers[at + 1];
}

/** Replaces the value of a field, or appends the field. */
export function withHeader<Message extends WithHeaders>(message: Message, name: string, value: string) {
  const { headers } = message;
  const at = indexOfHeader(headers, name);
  return { ...message, headers: at === -1 ? [...headers, name, value] : headers.with(at + 1, value) };
}

/** Leaves out every field of that name. */
export function withoutHeader<Message extends WithHeaders>(message: Message, name: string) {
  const unwanted = name.toLowerCase();
  const { headers } = message;
  return {
    ...message,
    headers: headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== unwanted),
  };
}

/** Rewrites the value of the first field of that name, if there is one. */
export function rewriteHeader<Message extends WithHeaders>(
  message: Message,
  name: string,
  write: (value: string) => string,
) {
  const value = headerOf(message, name);
  return value === undefined ? message : withHeader(message, name, write(value));
}

function indexOfHeader(headers: readonly string[], name: string): number {
  const wanted = name.toLowerCase();
  return headers.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === wanted);
}
