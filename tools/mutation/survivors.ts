import type { SurvivalReasons } from './reason.ts';

/** Why mutants survive that no requirement kills, by file and declaration. */
export const SURVIVORS: SurvivalReasons = {
  'ports/body-reader.ts hasContent': [
    {
      kind: 'permitted',
      why: 'Requests are sent with Content-Length. A server may demand that (411), and nobody sees what it makes of chunks.',
      mutants: [
        "headers['transfer-encoding'] !== undefined → false",
        "headers['transfer-encoding'] !== undefined → headers['transfer-encoding'] === undefined",
        '\'transfer-encoding\' → ""',
      ],
    },
    {
      kind: 'equivalent',
      why: 'A request without content ends at once, so reading it says the same.',
      mutants: [
        "headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined → true",
      ],
    },
  ],
  'ports/body-reader.ts readIncomingBody': [
    {
      kind: 'permitted',
      why: 'A body whose framing is broken, or whose client has gone, is malformed HTTP; what answers it is only observed.',
      mutants: [
        "(): void => resolve({ state: 'broken' }) → () => undefined",
        "{ state: 'broken' } → {}",
        '\'broken\' → ""',
        '\'error\' → ""',
        '\'close\' → ""',
        'incoming.destroyed → false',
      ],
    },
    {
      kind: 'permitted',
      why: 'How large a body may be is not shown.',
      mutants: [
        "Number(incoming.headers['content-length']) > maximumBytes → false",
        "Number(incoming.headers['content-length']) > maximumBytes → Number(incoming.headers['content-length']) >= maximumBytes",
        '\'content-length\' → ""',
        'length += chunk.byteLength → length -= chunk.byteLength',
        'length > maximumBytes → false',
        'length > maximumBytes → length >= maximumBytes',
      ],
    },
    {
      kind: 'equivalent',
      why: 'A request without content ends at once, so reading it says the same.',
      mutants: ['!hasContent(incoming) → false'],
    },
    {
      kind: 'outside',
      why: 'What is too large, cut off or without any framing is not sent: limits of payloads are not shown, and the transport always frames a PATCH.',
      mutants: 'not reached',
    },
  ],
  'ports/connections.ts afterResponses': [
    {
      kind: 'outside',
      why: 'Only what is malformed, and CONNECT, is answered behind other responses.',
      mutants: 'not reached',
    },
  ],
  'ports/connections.ts createConnections': [
    {
      kind: 'equivalent',
      why: 'Nothing that is answered depends on the number of a connection or on the address at its other end.',
      mutants: [
        'count += 1 → count -= 1',
        "(socket instanceof Socket ? socket.remoteAddress : undefined) ?? '' → (socket instanceof Socket ? socket.remoteAddress : undefined) && ''",
      ],
    },
    {
      kind: 'equivalent',
      why: 'The memory of a connection spares work; without it each request is read anew.',
      mutants: [
        '{ id: count, remoteAddress: (socket instanceof Socket ? socket.remoteAddress : undefined) … → {}',
        'states.set(socket, state); → ;',
      ],
    },
    {
      kind: 'outside',
      why: 'Which connections have had a request matters only when the server stops.',
      mutants: ['(socket) => states.has(socket) → () => undefined'],
    },
    {
      kind: 'outside',
      why: 'Alterations alone drop connections, and a TCP socket always has an address.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts SENT_AFTER_CLOSE': [
    {
      kind: 'permitted',
      why: 'What answers data after the last request of a connection is malformed HTTP, and not judged.',
      mutants: ['\'HPE_CLOSED_CONNECTION\' → ""'],
    },
  ],
  'ports/exchanges.ts answer': [
    {
      kind: 'permitted',
      why: 'A server may close the connection after each response.',
      mutants: [
        'edge.isClosing() || isCutShort() → true',
        'edge.isClosing() || refusal !== undefined → true',
        'refusal !== undefined → refusal === undefined',
      ],
    },
    {
      kind: 'outside',
      why: 'It matters only to what is malformed, to what stands behind other responses, and when the server stops.',
      mutants: [
        'refusal === undefined → true',
        'response instanceof Promise || outgoing.socket === null → true',
        'response instanceof Promise || outgoing.socket === null → false',
        'response instanceof Promise || outgoing.socket === null → response instanceof Promise && outgoing.socket === null',
        'outgoing.socket === null → false',
        'outgoing.socket === null → outgoing.socket !== null',
        '{ state.awaited = outgoing; } → {}',
        '(): boolean => state.failed && !incoming.complete → () => undefined',
        'state.failed && !incoming.complete → true',
        'state.failed && !incoming.complete → false',
        'state.failed && !incoming.complete → state.failed || !incoming.complete',
        'edge.isClosing() || isCutShort() → false',
        'edge.isClosing() || isCutShort() → edge.isClosing() && isCutShort()',
        '(error: unknown) => giveUp(socket, error) → () => undefined',
        'edge.isClosing() || refusal !== undefined → false',
        'edge.isClosing() || refusal !== undefined → edge.isClosing() && refusal !== undefined',
        'refusal !== undefined → false',
      ],
    },
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts answerConnect': [
    { kind: 'outside', why: 'CONNECT is not sent.', mutants: 'not reached' },
  ],
  'ports/exchanges.ts answerParserError': [
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts answerRequest': [
    {
      kind: 'outside',
      why: 'A connection on which answering fails altogether is closed; nothing makes it fail.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts giveUp': [
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts refuseFailed': [
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts respond': [
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails in the service.',
      mutants: ['(error: unknown) => refuseFailed(service, error) → () => undefined'],
    },
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts send': [
    {
      kind: 'equivalent',
      why: 'Node adds no second Date, and ASCII has the same bytes in both encodings.',
      mutants: ['false → true', '\'latin1\' → ""'],
    },
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts toRequest': [
    {
      kind: 'outside',
      why: 'It matters only to a body whose framing is malformed.',
      mutants: ['state.failed && !incoming.complete → false'],
    },
    {
      kind: 'outside',
      why: 'Nothing that answers a request fails, and malformed HTTP is not sent.',
      mutants: 'not reached',
    },
  ],
  'ports/exchanges.ts warnOperator': [
    { kind: 'outside', why: 'Nothing fails that an operator would be warned of.', mutants: 'not reached' },
  ],
  'ports/listen.ts bind': [
    {
      kind: 'outside',
      why: 'It matters only to a port that cannot be listened on.',
      mutants: ['\'error\' → ""', '\'error\' → "" #2', '\'error\' → "" #3'],
    },
  ],
  'ports/listen.ts createHttpServer': [
    {
      kind: 'outside',
      why: 'It sets what becomes of malformed HTTP, of CONNECT and of connections without a request.',
      mutants: [
        '{ keepAliveTimeout: keepAliveMilliseconds, // Node would add a second, after which a clien… → {}',
        'false → true',
        'true → false',
        '\'checkExpectation\' → ""',
        '(incoming, outgoing) => answerRequest(edge, incoming, outgoing) → () => undefined #2',
        '(incoming, socket) => answerConnect(edge, incoming, socket) → () => undefined',
        '\'connect\' → ""',
        '\'clientError\' → ""',
        '(error, socket) => answerParserError(edge, error, socket) → () => undefined',
      ],
    },
  ],
  'ports/listen.ts listen': [
    {
      kind: 'permitted',
      why: 'A server may close the connection after each response.',
      mutants: ['false → true'],
    },
    {
      kind: 'outside',
      why: 'It matters only when the server stops, or to a connection that has failed.',
      mutants: [
        "server.on('connection', (socket: Socket) => { open.add(socket); socket.once('close', () =>… → ;",
        '() => closing → () => undefined',
        '\'connection\' → ""',
        'open.add(socket); → ;',
        "{ open.add(socket); socket.once('close', () => open.delete(socket)); // After `connect` no… → {}",
        '\'close\' → ""',
        '\'error\' → ""',
        '() => open.delete(socket) → () => undefined',
      ],
    },
    {
      kind: 'outside',
      why: 'It matters only to malformed HTTP, to CONNECT, and when the server stops or cannot listen.',
      mutants: 'not reached',
    },
  ],
  'ports/listen.ts originOf': [
    {
      kind: 'outside',
      why: 'It says where the server listens: here on a TCP port of 127.0.0.1.',
      mutants: [
        "address === null || typeof address === 'string' → address === null && typeof address === 'string'",
        "address === null || typeof address === 'string' → false",
        'address === null → false',
        "typeof address === 'string' → false",
        '\'string\' → ""',
        "address.family === 'IPv6' → false",
        '\'IPv6\' → ""',
      ],
    },
    {
      kind: 'outside',
      why: 'It matters only to malformed HTTP, to CONNECT, and when the server stops or cannot listen.',
      mutants: 'not reached',
    },
  ],
  'ports/malformed.ts malformed': [
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/malformed.ts refusalOfHead': [
    {
      kind: 'equivalent',
      why: 'The length spares a comparison of names, and every place of the list holds one.',
      mutants: ['name?.length === 4 → true', 'name?.length → name.length'],
    },
    {
      kind: 'equivalent',
      why: 'Behind the last field there is none.',
      mutants: ['index < rawHeaders.length → index <= rawHeaders.length'],
    },
    {
      kind: 'permitted',
      why: 'What answers a malformed head is only observed, and all that is sent has one Host field.',
      mutants: [
        "{ if (httpVersion !== '1.1' && httpVersion !== '1.0') { return malformed('The service spea… → {}",
        "httpVersion !== '1.1' && httpVersion !== '1.0' → false",
        'hosts += 1 → hosts -= 1',
        "hosts > 1 || (hosts === 0 && httpVersion === '1.1') → false",
        "hosts > 1 || (hosts === 0 && httpVersion === '1.1') → hosts > 1 && hosts === 0 && httpVersion === '1.1'",
        'hosts > 1 → false',
        "hosts === 0 && httpVersion === '1.1' → false",
      ],
    },
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/malformed.ts refusalOfMethod': [
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/malformed.ts refusalOfParserError': [
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/raw-response.ts closeGently': [
    {
      kind: 'outside',
      why: 'Malformed HTTP and CONNECT are not sent; what answers them is only observed.',
      mutants: 'not reached',
    },
  ],
  'ports/raw-response.ts writeRawResponse': [
    {
      kind: 'outside',
      why: 'Malformed HTTP and CONNECT are not sent; what answers them is only observed.',
      mutants: 'not reached',
    },
  ],
  'service/answer.ts answerWith': [
    {
      kind: 'equivalent',
      why: 'The same bytes are handed over as text or as a buffer.',
      mutants: [
        'length === text.length && length <= LONGEST_TEXT → true',
        'length === text.length && length <= LONGEST_TEXT → false',
        'length === text.length && length <= LONGEST_TEXT → length === text.length || length <= LONGEST_TEXT',
        'length === text.length → true',
        'length === text.length → length !== text.length',
        'length <= LONGEST_TEXT → true',
        'length <= LONGEST_TEXT → length < LONGEST_TEXT',
        'length <= LONGEST_TEXT → length > LONGEST_TEXT',
      ],
    },
  ],
  'service/authenticator.ts BEARER': [
    {
      kind: 'permitted',
      why: 'Text behind the key, and a second space before it, are only observed.',
      mutants: ['/^bearer +(\\S+)$/i → /^bearer +(\\S+)/i', '/^bearer +(\\S+)$/i → /^bearer (\\S+)$/i'],
    },
  ],
  'service/authenticator.ts createAuthenticator': [
    {
      kind: 'permitted',
      why: 'Whether a key is missing or not valid shows only in texts, which are open.',
      mutants: [
        "typeof credentials !== 'string' → false",
        "{ return credentials === undefined ? 'missing' : 'invalid'; } → {}",
        'credentials === undefined → true',
        'credentials === undefined → false',
        'credentials === undefined → credentials !== undefined',
      ],
    },
    {
      kind: 'equivalent',
      why: 'What was read on a connection before is remembered to spare work.',
      mutants: [
        'last !== undefined && last.version === version && last.credentials === credentials → false',
        '{ return last.record; } → {}',
        '{ credentials, record, version } → {}',
      ],
    },
    {
      kind: 'equivalent',
      why: 'No key was issued under the digest of undefined.',
      mutants: ['key === undefined → false'],
    },
  ],
  'service/authenticator.ts readCredentials': [
    {
      kind: 'equivalent',
      why: 'Behind the last field there is none.',
      mutants: ['index < headers.length → index <= headers.length'],
    },
    {
      kind: 'equivalent',
      why: 'The length spares a comparison of names, and every place of the list holds one.',
      mutants: ['name?.length === 13 → true', 'name?.length → name.length'],
    },
    {
      kind: 'permitted',
      why: 'Two Authorization fields are malformed HTTP; what answers them is only observed.',
      mutants: ['credentials !== undefined → false', '{ return null; } → {}'],
    },
  ],
  'service/authenticator.ts readKey': [
    { kind: 'outside', why: 'Only alterations ask which key a request carries.', mutants: 'not reached' },
  ],
  'service/bans.ts NO_CONDUCT': [
    {
      kind: 'equivalent',
      why: 'The first request of a key is accepted, or refused for the day, which lasts longer than the ban.',
      mutants: ['{ refused: 0, bannedUntil: 0 } → {}'],
    },
  ],
  'service/bans.ts banned': [
    {
      kind: 'permitted',
      why: 'Whether an answer is that of a ban shows only in its texts, and those are open.',
      mutants: ['true → false'],
    },
  ],
  'service/bans.ts withBans': [
    {
      kind: 'equivalent',
      why: 'The first request of a key is accepted, or refused for the day, which lasts longer than the ban.',
      mutants: ['{ ...earlier } → {}'],
    },
    {
      kind: 'permitted',
      why: 'A ban is optional.',
      mutants: [
        'rule === false → true',
        'rule === false → rule !== false',
        'false → true',
        'conduct === undefined → true',
        'conducts.set(key, conduct); → ;',
        'conduct.refused + 1 → conduct.refused - 1',
        'conduct.refused <= afterRefused → true',
      ],
    },
    { kind: 'equivalent', why: 'The reference bans by a rule.', mutants: ['rule === false → false'] },
    {
      kind: 'permitted',
      why: 'How long a ban lasts, and after how many requests it comes, is open.',
      mutants: [
        'now < conduct.bannedUntil → false',
        '{ conduct.bannedUntil = extended ? now + seconds : conduct.bannedUntil; return banned(limi… → {}',
        'conduct.refused <= afterRefused → conduct.refused < afterRefused',
        'now + seconds → now - seconds #2',
      ],
    },
    {
      kind: 'equivalent',
      why: 'A request at the very moment at which the ban ends would have to come within the same microsecond.',
      mutants: ['now < conduct.bannedUntil → now <= conduct.bannedUntil'],
    },
    {
      kind: 'outside',
      why: 'Bans that lengthen, and what the state is before a decision, are for variants and the shared store; a run resets nothing.',
      mutants: 'not reached',
    },
  ],
  'service/clock.ts createVirtualClock': [
    {
      kind: 'outside',
      why: 'Only the control contract moves the clock, and the run says that this does not work.',
      mutants: ['{ offset += seconds; } → {}', 'offset += seconds → offset -= seconds'],
    },
    {
      kind: 'by chance',
      why: 'The control clock runs backwards, and the run mostly says no more than that.',
      mutants: ['offset + performance.now() / 1_000 → offset - performance.now() / 1_000'],
    },
  ],
  'service/handlers.ts createHandlers': [
    { kind: 'equivalent', why: 'There is no pet under undefined.', mutants: ['petId === undefined → false'] },
    {
      kind: 'permitted',
      why: 'A body that cannot be read whole may be called malformed JSON; limits of payloads are not shown.',
      mutants: ["reading.state !== 'complete' → false"],
    },
    {
      kind: 'equivalent',
      why: 'The pet was found just before, and nothing takes it away in between.',
      mutants: ['updated === undefined → false'],
    },
    {
      kind: 'permitted',
      why: 'What GET /pets/{petId} answers is not shown.',
      mutants: ['item === undefined → true #2'],
    },
    {
      kind: 'outside',
      why: 'No body is sent that is too large or cut off: limits of payloads are not shown.',
      mutants: 'not reached',
    },
  ],
  'service/handlers.ts rememberAnswer': [
    {
      kind: 'equivalent',
      why: 'The answer is kept to spare work; it is made anew instead.',
      mutants: [
        'answer === undefined || current !== version → true',
        'answer === undefined → false',
        'answer === undefined → answer !== undefined',
      ],
    },
  ],
  'service/handlers.ts unreadable': [
    {
      kind: 'outside',
      why: 'No body is sent that is too large or cut off: limits of payloads are not shown.',
      mutants: 'not reached',
    },
  ],
  'service/inventory-store.ts createInventoryStore': [
    {
      kind: 'equivalent',
      why: 'A version that falls changes just as well.',
      mutants: ['version += 1 → version -= 1', 'version += 1 → version -= 1 #2'],
    },
    {
      kind: 'outside',
      why: 'What the store holds at start is up to the operator; the run brings an inventory of its own.',
      mutants: ['replace(seed); → ;'],
    },
    { kind: 'equivalent', why: 'The pet was found just before.', mutants: ['found === undefined → false'] },
    {
      kind: 'outside',
      why: 'A run does not reset the target.',
      mutants: ['() => replace(seed) → () => undefined'],
    },
    { kind: 'outside', why: 'Whoever sets a quantity has found the pet before.', mutants: 'not reached' },
  ],
  'service/inventory-update.ts UTF_8': [
    {
      kind: 'permitted',
      why: 'What becomes of a body in another encoding than UTF-8 is only observed.',
      mutants: ['{ fatal: true } → {}', 'true → false'],
    },
  ],
  'service/inventory-update.ts decodeJson': [
    {
      kind: 'equivalent',
      why: 'A function that ends without a value returns undefined.',
      mutants: ['{ return undefined; } → {}'],
    },
  ],
  'service/inventory-update.ts readInventoryUpdate': [
    {
      kind: 'permitted',
      why: 'It is refused all the same, with other texts, which are open.',
      mutants: [
        'value === undefined → false',
        "{ return { problem: { code: 'malformed_json', message: 'The request body is not JSON in UT… → {}",
        'given === undefined → false',
        "{ return invalidQuantity('is missing'); } → {}",
        '\'is missing\' → ""',
        '\'is not an integer\' → ""',
        '`is not between 0 and ${MAXIMUM_QUANTITY}` → ``',
      ],
    },
    {
      kind: 'permitted',
      why: 'Bounds of quantities are not shown.',
      mutants: [
        'quantity < 0n → false',
        'quantity > BigInt(MAXIMUM_QUANTITY) → quantity >= BigInt(MAXIMUM_QUANTITY)',
      ],
    },
  ],
  'service/key-store.ts ENTERPRISE_LIMITS': [
    {
      kind: 'permitted',
      why: 'Limits of Enterprise are custom, and the run names those of its keys.',
      mutants: ['{ perMinute: 5_000, perDay: 500_000 } → {}'],
    },
  ],
  'service/key-store.ts createKeyStore': [
    {
      kind: 'equivalent',
      why: 'A version that falls changes just as well.',
      mutants: [
        'version += 1 → version -= 1',
        'version += 1 → version -= 1 #2',
        'version += 1 → version -= 1 #3',
      ],
    },
    {
      kind: 'outside',
      why: 'Which keys there are at start is up to the operator; the run issues keys of its own.',
      mutants: [
        '{ stored.clear(); version += 1; for (const { key, plan, revoked = false, ...limits } of se… → {}',
        'false → true',
        '{ add(key, plan, limits, revoked); } → {}',
        'add(key, plan, limits, revoked); → ;',
        'reset(); → ;',
      ],
    },
    { kind: 'outside', why: 'A run does not reset the target.', mutants: ['stored.clear(); → ;'] },
    {
      kind: 'outside',
      why: 'The control contract says by 404 that it revokes no keys; the revoked key of the configuration is judged instead.',
      mutants: [
        '{ const found = stored.get(digestOf(key)); if (found === undefined) { return false; } foun… → {}',
        'found === undefined → true',
        'found === undefined → found !== undefined #2',
        'true → false #2',
      ],
    },
    {
      kind: 'outside',
      why: 'Nobody revokes a key that was never issued.',
      mutants: ['found === undefined → false #2'],
    },
    {
      kind: 'outside',
      why: 'The control contract fails to issue keys, and the run says so.',
      mutants: [
        '{ const record = { key, plan, limits: { ...planLimits(plan), ...limits } }; stored.set(dig… → {}',
        '(plan, limits) => add(makeKey(plan), plan, limits, false) → () => undefined',
      ],
    },
    { kind: 'outside', why: 'Nobody revokes a key that was never issued.', mutants: 'not reached' },
  ],
  'service/key-store.ts makeKey': [
    {
      kind: 'outside',
      why: 'The control contract fails to issue keys, and the run says so.',
      mutants: ["{ return `${plan}-${randomBytes(18).toString('base64url')}`; } → {}", '\'base64url\' → ""'],
    },
  ],
  'service/key-store.ts planLimits': [
    {
      kind: 'permitted',
      why: 'Limits of Enterprise are custom, and the run names those of its keys.',
      mutants: ["plan === 'enterprise' → false", '\'enterprise\' → ""'],
    },
  ],
  'service/rate-limiter.ts accept': [
    {
      kind: 'equivalent',
      why: 'Nobody asks an accepted decision whether it is a ban.',
      mutants: ['false → true'],
    },
  ],
  'service/rate-limiter.ts createRateLimiter': [
    {
      kind: 'outside',
      why: 'Only the shared store takes back a request, and a run resets nothing.',
      mutants: 'not reached',
    },
  ],
  'service/rate-limiter.ts refuse': [
    {
      kind: 'permitted',
      why: 'Whether an answer is that of a ban shows only in its texts, and those are open.',
      mutants: ['false → true #2'],
    },
  ],
  'service/rate-limiter.ts tighterOf': [
    {
      kind: 'permitted',
      why: 'Which window the headers describe is open.',
      mutants: [
        'day.remaining < minute.remaining || day.remaining === 0 → true',
        'day.remaining < minute.remaining || day.remaining === 0 → false',
        'day.remaining < minute.remaining || day.remaining === 0 → day.remaining < minute.remaining && day.remaining === 0',
        'day.remaining < minute.remaining → false',
        'day.remaining < minute.remaining → day.remaining <= minute.remaining',
        'day.remaining < minute.remaining → day.remaining >= minute.remaining',
        'day.remaining === 0 → false',
        'day.remaining === 0 → day.remaining !== 0',
      ],
    },
  ],
  'service/refusals.ts createRefusals': [
    {
      kind: 'permitted',
      why: 'Codes, messages and the parameters of a challenge are open.',
      mutants: [
        "reason === 'missing' → true",
        "reason === 'missing' → false",
        "reason === 'missing' → reason !== 'missing'",
        '\'missing\' → ""',
        '\'missing\' → "" #2',
        '\'not valid\' → ""',
        "reason === 'missing' → true #2",
        "reason === 'missing' → false #2",
        "reason === 'missing' → reason !== 'missing' #2",
        '\'missing\' → "" #3',
      ],
    },
    {
      kind: 'permitted',
      why: 'The body of a 429 and of a ban is not shown.',
      mutants: [
        '`The rate limit of ${limit} requests is exceeded. ${tryAgain(retryAfterSeconds)}` → ``',
        '\'rate_limited\' → ""',
        '`The API key is banned for continued requests after a 429. ${tryAgain(retryAfterSeconds)}` → ``',
        '\'key_banned\' → ""',
      ],
    },
    {
      kind: 'permitted',
      why: 'A challenge on the answer to a banned key is open.',
      mutants: [
        'banStatus === 401 → true',
        'banStatus === 401 → false',
        'banStatus === 401 → banStatus !== 401',
      ],
    },
    {
      kind: 'permitted',
      why: 'What answers an unknown route is only observed.',
      mutants: [
        "{ code: 'not_found', message: 'No such resource.', status: 404 } → {}",
        '\'not_found\' → ""',
        '\'No such resource.\' → ""',
      ],
    },
    {
      kind: 'permitted',
      why: 'The body of a 405 is not documented.',
      mutants: ['\'method_not_allowed\' → ""', '`Use ${allow} here.` → ``'],
    },
    { kind: 'outside', why: 'A ban is answered 429 here, which takes no challenge.', mutants: 'not reached' },
  ],
  'service/refusals.ts tryAgain': [
    {
      kind: 'permitted',
      why: 'The body of a 429 and of a ban is not shown.',
      mutants: ['{ return `Try again in ${seconds} s.`; } → {}', '`Try again in ${seconds} s.` → ``'],
    },
  ],
  'service/render.ts createRenderer': [
    {
      kind: 'equivalent',
      why: 'The first response writes the date before it is read.',
      mutants: ['\'\' → "Stryker was here!"'],
    },
    {
      kind: 'equivalent',
      why: 'The date is kept for a second to spare work.',
      mutants: ['current !== second → true'],
    },
  ],
  'service/representation.ts representation': [
    {
      kind: 'permitted',
      why: 'Which orders there are, and what they hold, is not shown.',
      mutants: [
        "items.filter(({ status }) => status === 'sold') → items",
        "({ status }) => status === 'sold' → () => undefined",
        "status === 'sold' → true",
        "status === 'sold' → false",
        "status === 'sold' → status !== 'sold'",
        '\'sold\' → ""',
        'index + 1 → index - 1',
      ],
    },
  ],
  'service/router.ts createRouter': [
    {
      kind: 'equivalent',
      why: 'The table of whole paths spares work; what it lacks is found segment by segment.',
      mutants: [
        'RESOURCES.filter(({ segments }) => !segments.includes(null)) → RESOURCES',
        '({ segments }) => !segments.includes(null) → () => undefined',
        '!segments.includes(null) → segments.includes(null)',
        "[ `${basePath}/${resource.segments.join('/')}`, resource, ] → []",
        "`${basePath}/${resource.segments.join('/')}` → ``",
        '\'/\' → ""',
        'fixed !== undefined → false',
        "{ return matchMethod(fixed, method, ''); } → {}",
        '\'\' → "Stryker was here!"',
      ],
    },
    {
      kind: 'equivalent',
      why: 'No path has more than two segments behind the base, and the last is the second.',
      mutants: ['-1 → +1'],
    },
    {
      kind: 'outside',
      why: 'Requests whose target is absolute, badly encoded or elsewhere are not judged, and are hardly sent.',
      mutants: 'not reached',
    },
  ],
  'service/router.ts decodeSegment': [
    {
      kind: 'outside',
      why: 'Requests whose target is absolute, badly encoded or elsewhere are not judged, and are hardly sent.',
      mutants: 'not reached',
    },
  ],
  'service/router.ts fits': [
    {
      kind: 'permitted',
      why: 'What answers a path with an empty segment is only observed.',
      mutants: ["segments[index] !== '' → true", '\'\' → "Stryker was here!"'],
    },
  ],
  'service/router.ts readSegments': [
    {
      kind: 'equivalent',
      why: 'A target begins with a slash wherever it is not malformed.',
      mutants: [
        "target.startsWith('/') → target.endsWith('/')",
        '\'/\' → ""',
        "!path.startsWith('/') → false",
        '\'/\' → "" #2',
      ],
    },
    {
      kind: 'equivalent',
      why: 'The pattern takes all that follows in any case.',
      mutants: ['/[?#].*$/s → /[?#].*/s'],
    },
    {
      kind: 'permitted',
      why: 'Query parameters and trailing slashes are open: a target may answer 404 to them.',
      mutants: ['/[?#].*$/s → /[?#].$/s', '\'\' → "Stryker was here!" #2', '\'\' → "Stryker was here!" #3'],
    },
    {
      kind: 'permitted',
      why: 'What answers a path that is badly encoded or lies elsewhere is only observed.',
      mutants: [
        'segments.filter((segment) => segment !== undefined) → segments',
        'segment !== undefined → true',
        'base.every((wanted, index) => wanted === segments[index]) → base.some((wanted, index) => wanted === segments[index])',
        'wanted === segments[index] → true',
        'isBelowBase && decoded.length === segments.length → true',
        'isBelowBase && decoded.length === segments.length → isBelowBase || decoded.length === segments.length',
        'decoded.length === segments.length → true',
      ],
    },
    {
      kind: 'outside',
      why: 'Requests whose target is absolute, badly encoded or elsewhere are not judged, and are hardly sent.',
      mutants: 'not reached',
    },
  ],
  'service/service.ts createService': [
    {
      kind: 'permitted',
      why: 'What answers an unknown route is only observed.',
      mutants: ["case 'not-found': return answers.notFound(); → case 'not-found':"],
    },
    {
      kind: 'outside',
      why: 'Malformed HTTP is not sent; what answers it is only observed.',
      mutants: 'not reached',
    },
  ],
  'service/window.ts resumeWindow': [
    {
      kind: 'equivalent',
      why: 'A request at the very moment at which a window ends would have to come within the same microsecond.',
      mutants: ['now >= end → now > end', 'now >= end → now > end #2', 'now >= end → now > end #3'],
    },
    {
      kind: 'permitted',
      why: 'Reset may lie anywhere between now and the length of the window, as a window that slides has it.',
      mutants: ['now >= end → true #3', 'now >= end → now < end #3'],
    },
    {
      kind: 'equivalent',
      why: 'A request has begun its window before the headers are written.',
      mutants: ['now >= end → false #3', 'now + seconds → now - seconds #2'],
    },
    { kind: 'outside', why: 'Only the shared store takes back a request.', mutants: 'not reached' },
  ],
};
