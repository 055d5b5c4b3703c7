/** Whether two values of a field are the same, as JSON has them: what is absent is null. */
export const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Whether they say the same: in any order of names, and without the ids that rows inside a value get when they are stored. */
export const isSameContent = (a: unknown, b: unknown): boolean =>
  toComparableJson(withoutRowIds(a)) === toComparableJson(withoutRowIds(b))

const toComparableJson = (value: unknown): string => JSON.stringify(value ?? null, sortNames)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sortNames = (_name: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

const withoutRowIds = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((row) => {
        if (!isRecord(row)) return row
        const { id: _id, module_id: _moduleId, ...content } = row
        return content
      })
    : value
