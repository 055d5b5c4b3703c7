import type { Endpoint, Kind, Schema } from '#contract/endpoint.ts'
import { refKind } from '#contract/values.ts'
import { nameIn } from '#domain/text.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'

const tables: Partial<Record<Kind, 'users' | 'orders' | 'services' | 'modules' | 'price_lists'>> = {
  user: 'users',
  order: 'orders',
  service: 'services',
  module: 'modules',
  price: 'price_lists',
}

export interface SubjectInput {
  params?: unknown
  query?: unknown
  body?: unknown
}

/** What the device calls the record that a call is about: the first row that its input names. Null: it has none. */
export async function readSubjectName(
  db: UserDatabase,
  endpoint: Endpoint,
  input: SubjectInput,
): Promise<string | null> {
  for (const part of ['params', 'query', 'body'] as const)
    for (const [name, schema] of Object.entries(shapeOf(endpoint[part]))) {
      const id = (input[part] as Record<string, unknown> | null | undefined)?.[name]
      if (typeof id === 'number') return await readName(db, refKind(schema), id)
    }
  return null
}

async function readName(db: UserDatabase, kind: Kind | undefined, id: number): Promise<string | null> {
  if (kind === 'contract')
    return nameIn(
      (
        await rowsOf(db, 'orders')
          .filter(({ row }) => contractOf(row) === id)
          .first()
      )?.row,
    )
  const table = kind && tables[kind]
  return table ? nameIn((await rowsOf(db, table).get(id))?.row) : null
}

const contractOf = (row: unknown) => (row as { contract_id?: unknown }).contract_id

const shapeOf = (schema: Schema | undefined): Record<string, Schema> =>
  (schema as { _zod?: { def: { shape?: Record<string, Schema> } } } | undefined)?._zod?.def.shape ?? {}
