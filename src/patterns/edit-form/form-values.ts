export type FormValues = object

const isSame = (first: unknown, second: unknown) =>
  Object.is(first, second) || (!isFile(first) && !isFile(second) && JSON.stringify(first) === JSON.stringify(second))

/** Files are compared by identity, because in JSON all files look the same. */
const isFile = (value: unknown) => typeof Blob !== 'undefined' && value instanceof Blob

/** Returns the fields that differ from `base`, except locked ones. Lists and objects are compared by content. */
export const getChanges = <Fields extends object>(
  fields: Fields,
  base: Fields,
  lockedFields?: ReadonlySet<keyof Fields>,
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !lockedFields?.has(name as keyof Fields) && !isSame(value, base[name as keyof Fields]),
    ),
  ) as Partial<Fields>

/** Used after somebody else changed the record. Returns the current values, with the user's changes applied. */
export const rebaseValues = <Values extends FormValues>(
  values: Values,
  baseValues: Values,
  currentValues: Values,
): Values => ({ ...currentValues, ...getChanges(values, baseValues) })
