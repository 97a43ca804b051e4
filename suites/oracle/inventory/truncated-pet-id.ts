/** Whether a double, or an integer of fewer bits, makes this of an int64. */
export function isTruncated(seen: bigint, petId: bigint): boolean {
  return (
    seen !== petId &&
    (Number(seen) === Number(petId) ||
      [32, 53].some((bits) => BigInt.asUintN(bits, seen) === BigInt.asUintN(bits, petId)))
  );
}
