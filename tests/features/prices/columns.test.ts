/** Tests the columns of the table of price lists, in the specified order, also on a tablet (contracts 2, 3). */
import { expect, it } from 'vitest'
import { buildColumns } from '#features/prices/list/columns.tsx'

it.each(['current', 'withdrawn'] as const)('The tab %s keeps each column on a tablet (fault 36M145a)', (tab) => {
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
