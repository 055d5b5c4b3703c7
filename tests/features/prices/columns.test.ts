/** The list of price lists has what the specification names, in its order and on a tablet too (contracts 2, 3). */
import { expect, it } from 'vitest'
import { buildColumns } from '#features/prices/list/columns.tsx'

it.each(['current', 'withdrawn'] as const)('fault 36M145a the tab %s keeps each column on a tablet', (tab) => {
  const allColumns = buildColumns(((key: string) => key) as never, () => 'draft', null, false, tab)
  const specifiedColumns = allColumns.filter(({ key }) => key !== 'contracts')
  expect(specifiedColumns.map(({ key }) => key)).toEqual([
    'effective_date',
    'type',
    'confirmed',
    'desc',
    'update_time',
    'update_user_name',
  ])
  expect(specifiedColumns.filter(({ priority }) => priority !== undefined).map(({ key }) => key)).toEqual([])
})
