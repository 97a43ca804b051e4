/**
 * Makes sure that a comparison is one of like with like.
 * @param extent `all` compares the names of the header fields and the lengths of their values, too
 * @throws if the responses differ
 */
export async function requireSameResponse(
  referenceUrl: string,
  rivalUrl: string,
  authorization: string,
  extent: 'all' | 'body',
): Promise<void> {
  const [expected, received] = await Promise.all(
    [referenceUrl, rivalUrl].map((url) => describeResponse(url, authorization, extent)),
  );
  if (expected !== received) {
    throw new Error(`${rivalUrl} answers\n${received}\ninstead of\n${expected}`);
  }
}

async function describeResponse(url: string, authorization: string, extent: 'all' | 'body'): Promise<string> {
  const response = await fetch(url, { headers: { authorization } });
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value.length} characters`);
  return [response.status, ...(extent === 'all' ? fields : []), await response.text()].join('\n');
}
