import type { Endpoint, RowKind, ValueSchema } from '#contract/endpoint.ts'
import { getRefKind } from '#contract/values.ts'
import { getDisplayName } from '#domain/text.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'

const tableByKind: Partial<Record<RowKind, 'users' | 'orders' | 'services' | 'modules' | 'price_lists'>> = {
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

/** Returns the name of the first row in the input, as this device shows it. Null if there is no such row. */
export async function readSubjectName(
  db: UserDatabase,
  endpoint: Endpoint,
  input: SubjectInput,
): Promise<string | null> {
  for (const part of ['params', 'query', 'body'] as const)
    for (const [name, schema] of Object.entries(getShape(endpoint[part]))) {
      const id = (input[part] as Record<string, unknown> | null | undefined)?.[name]
      if (typeof id === 'number') return await readName(db, getRefKind(schema), id)
    }
  return null
}

async function readName(db: UserDatabase, kind: RowKind | undefined, id: number): Promise<string | null> {
  if (kind === 'contract')
    return getDisplayName(
      (
        await getRowTable(db, 'orders')
          .filter(({ row }) => getContractId(row) === id)
          .first()
      )?.row,
    )
  const table = kind && tableByKind[kind]
  return table ? getDisplayName((await getRowTable(db, table).get(id))?.row) : null
}

const getContractId = (row: unknown) => (row as { contract_id?: unknown }).contract_id

const getShape = (schema: ValueSchema | undefined): Record<string, ValueSchema> =>
  (schema as { _zod?: { def: { shape?: Record<string, ValueSchema> } } } | undefined)?._zod?.def.shape ?? {}
