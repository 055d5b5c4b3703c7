/** Whether two values of a field are the same, as JSON has them: what is absent is null. */
export const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
