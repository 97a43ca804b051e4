// A driver for `npx stockcheck certify -- node driver.js`: plain JavaScript, Node.js 22 or later.
//
// Replace `perform` with a call to your own client. What has to stay: what comes in by environment variables, one
// JSON object on the last line of stdout, and exit code 0 for an error that the service answered, too.

const { STOCKCHECK_BASE_URL, STOCKCHECK_API_KEY, STOCKCHECK_OPERATION } = process.env;
const { STOCKCHECK_PET_ID, STOCKCHECK_QUANTITY } = process.env; // for updateInventory, in decimal digits

const MAX_ATTEMPTS = 5;
const LONGEST_WAIT_MS = 60_000;

console.log(JSON.stringify(await perform().catch(noAnswer)));

async function perform() {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send();
    const text = await response.text();
    const wait = response.status === 429 ? retryAfterMs(response.headers.get('retry-after')) : Infinity;
    if (attempt === MAX_ATTEMPTS || wait > LONGEST_WAIT_MS) {
      return report(response.status, text);
    }
    // Retry-After is the least; the backoff on top of it grows, and keeps clients from coming back all at once.
    const backoff = 250 * 2 ** attempt * (0.5 + Math.random() / 2);
    await new Promise((resolve) => {
      setTimeout(resolve, wait + backoff);
    });
  }
}

function send() {
  const authorization = `Bearer ${STOCKCHECK_API_KEY}`;
  if (STOCKCHECK_OPERATION === 'listInventory') {
    return fetch(`${STOCKCHECK_BASE_URL}/inventory`, { headers: { authorization } });
  }
  // The petId stays a string: as a number it would lose digits beyond 2 ** 53.
  return fetch(`${STOCKCHECK_BASE_URL}/inventory/${STOCKCHECK_PET_ID}`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ quantity: Number(STOCKCHECK_QUANTITY) }),
  });
}

// A connection was refused, closed or timed out.
function noAnswer(error) {
  return { ok: false, error: { code: null, message: String(error.cause ?? error), status: null } };
}

// Retry-After is a number of seconds or a date, which is in GMT, also in the obsolete form that does not say so.
function retryAfterMs(value) {
  const date = value?.endsWith('GMT') ? value : `${value} GMT`;
  const wait = /^\d+$/.test(value ?? '') ? Number(value) * 1000 : Date.parse(date) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}

// Each petId is reported as the digits that came, since a number would lose some.
function keepDigits(member, value, context) {
  return member === 'petId' && typeof value === 'number' ? context.source : value;
}

function report(status, text) {
  if (status === 200) {
    return { ok: true, value: JSON.parse(text, keepDigits) };
  }
  try {
    const { code, message } = JSON.parse(text);
    return { ok: false, error: { code, message, status } };
  } catch {
    // The body of a 429 may be empty, or no JSON.
    return { ok: false, error: { code: 'unreadable_error', message: `HTTP status ${status}`, status } };
  }
}
