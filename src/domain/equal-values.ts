/** Returns whether two field values are equal as JSON. Undefined equals null. */
export const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Compares content: ignores the order of names and the ids of rows inside a value. */
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
