/** Lists what a company has to pay: contracts, changes, extensions, backups and traffic. The home page and the list of contracts use it. */
import type { OrderRow } from '#contract/orders.ts'
import { countPayableDays } from '#domain/dues.ts'
import type { PlainDate } from '#domain/time.ts'
import { getDues, type ListedDue } from '#features/orders/payment/payable.ts'

/** An amount due with the row of the contract that it belongs to. */
export interface DueItem {
  row: OrderRow
  name: string
  due: ListedDue
  date: PlainDate
  /** Days from today. Negative if overdue. */
  days: number
}

/** Returns the name of a due in addresses: `CONTRACT-12`, `PDBORDER-3`, `TRAFFIC-4` (D66). */
export const formatDueName = ({
  contractType = 'CONTRACT',
  id,
}: Partial<Pick<ListedDue, 'contractType'>> & Pick<ListedDue, 'id'>): string => `${contractType}-${id}`

/** Returns the items of the rows, soonest first. Leaves out what can no longer be paid: the rows of the device may be old. */
export const listDueItems = (rows: readonly OrderRow[], today: PlainDate): DueItem[] =>
  rows
    .flatMap((row) =>
      getDues(row).flatMap((due): DueItem[] => {
        const days = countPayableDays(due, today)
        return days === null ? [] : [{ row, name: row.name || row.code, due, date: due.due.slice(0, 10), days }]
      }),
    )
    .toSorted((a, b) => a.days - b.days)

/** A due of a contract is on its first tab, a backup or traffic on the tab of backups. */
export const getDuePath = ({ row, due }: Pick<DueItem, 'row' | 'due'>): string =>
  due.contractType === 'CONTRACT' ? `/app/contract/${row.id}` : `/app/contract/${row.id}?tab=subscribe`
