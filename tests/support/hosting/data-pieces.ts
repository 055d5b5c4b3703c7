/** Generates random instance data with every value that a database allows. */
import * as fc from 'fast-check'
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'

const oddNames = [
  '',
  'select',
  'Ctid',
  'ctid',
  'xmin',
  'portal_row',
  'portal_copy',
  'a"b',
  "it's",
  'x'.repeat(90),
  `${'x'.repeat(90)}y`,
  '表'.repeat(40),
  'a\0b',
  '\ud800',
  '__proto__',
  '% $1 ; --',
]
const anyName = fc.oneof(fc.constantFrom(...oddNames), fc.string({ unit: 'binary', maxLength: 20 }))

const text = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff x',
    '\u241b',
    '\u241b"x"',
    '\\x00',
    '\\',
    '"',
    "'",
    '{}',
    'NULL',
    '\r\n\t',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const real = fc.oneof(
  fc.constantFrom(
    -0,
    Number.NaN,
    Infinity,
    -Infinity,
    Number.MIN_VALUE,
    Number.MAX_VALUE,
    0.1 + 0.2,
    2 ** 53,
    1e21,
    5e-7,
  ),
  fc.double(),
)
const bigInteger = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
/** Integers as a host returns them: values beyond 2^53 as bigint. */
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n),
  bigInteger.filter((value) => !Number.isSafeInteger(Number(value))),
)
const blob = fc.uint8Array({ maxLength: 40 })

const values: Record<DataColumn['type'], fc.Arbitrary<DataValue>> = {
  integer,
  real,
  text,
  blob,
  any: fc.oneof(real, bigInteger, text, blob),
}

const table = fc
  .record({
    name: anyName,
    statement: text,
    columns: fc.uniqueArray(
      fc.record({
        name: anyName,
        type: fc.constantFrom<DataColumn['type']>('integer', 'real', 'text', 'blob', 'any'),
        notNull: fc.boolean(),
      }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 5 },
    ),
    hasKey: fc.boolean(),
  })
  .chain(({ name, statement, columns: columnFields, hasKey }) => {
    const columns = columnFields.map((column, index) => ({ ...column, key: hasKey && index < 2 ? 2 - index : 0 }))
    const row = fc.tuple(
      ...columns.map(({ type, notNull }) => (notNull ? values[type] : fc.option(values[type], { nil: null, freq: 4 }))),
    )
    return fc
      .array(fc.array(row, { minLength: 1, maxLength: 6 }), { maxLength: 3 })
      .map((groups): DataPiece[] => [
        { kind: 'table', name, statement, columns },
        ...groups.map((rows): DataPiece => ({ kind: 'rows', rows })),
      ])
  })

const getTableName = ([first]: DataPiece[]) => (first?.kind === 'table' ? first.name : '')

/** Tables with their rows in groups, followed by the final piece. */
export const dataPieces: fc.Arbitrary<DataPiece[]> = fc
  .tuple(fc.uniqueArray(table, { selector: getTableName, maxLength: 4 }), fc.array(text, { maxLength: 3 }))
  .map(([tables, statements]) => [...tables.flat(), { kind: 'end', statements }])

export async function* streamPieces(pieces: readonly DataPiece[]): AsyncGenerator<DataPiece> {
  yield* pieces
}

/** Returns the same pieces for the same data, regardless of how its rows were grouped. */
export function ungroupRows(pieces: readonly DataPiece[]): DataPiece[] {
  return pieces.flatMap((piece): DataPiece[] =>
    piece.kind === 'rows' ? piece.rows.map((row) => ({ kind: 'rows', rows: [row] })) : [piece],
  )
}

const buildColumn = (name: string, type: DataColumn['type'], key = 0): DataColumn => ({
  name,
  type,
  notNull: key > 0,
  key,
})

export function buildShopPieces(items: number): DataPiece[] {
  const rows = Array.from({ length: items }, (_, index) => [index + 1, `item-${index + 1}`, index / 4, null])
  const groups = Array.from({ length: Math.ceil(items / 100) }, (_, index) =>
    rows.slice(index * 100, index * 100 + 100),
  )
  return [
    {
      kind: 'table',
      name: 'items',
      columns: [
        buildColumn('id', 'integer', 1),
        buildColumn('code', 'text'),
        buildColumn('price', 'real'),
        buildColumn('note', 'any'),
      ],
      statement: 'create table items (id integer primary key, code text, price real, note any) strict',
    },
    ...groups.map((group): DataPiece => ({ kind: 'rows', rows: group })),
    { kind: 'end', statements: ['create index items_code on items (code)'] },
  ]
}
