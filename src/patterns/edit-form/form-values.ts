/** Values of a form, by the names of its inputs. */
export type FormValues = object

const isSame = (first: unknown, second: unknown) =>
  Object.is(first, second) || (!isFile(first) && !isFile(second) && JSON.stringify(first) === JSON.stringify(second))

/** JSON has no files: two of them would look the same. */
const isFile = (value: unknown) => typeof Blob !== 'undefined' && value instanceof Blob

/** Fields that differ from those of `base`, without locked ones; lists and objects are compared by their content. */
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

/** After somebody else changed the record: the current values, with what was typed over them. */
export const rebaseValues = <Values extends FormValues>(
  values: Values,
  baseValues: Values,
  currentValues: Values,
): Values => ({ ...currentValues, ...getChanges(values, baseValues) })
