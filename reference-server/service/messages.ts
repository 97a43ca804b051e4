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
  /** A body without Content-Length goes out in several chunks. */
  readonly inChunks?: true;
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
