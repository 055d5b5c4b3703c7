/** What needs somebody who orders: of the contracts and of the backups, with one word for both. */
import { useEffect, useState } from 'react'
import { BackupDuties } from '#features/backups/home/BackupDuties.tsx'
import type { Due } from '#features/home/NeedsAttention.tsx'
import { Duties } from '#features/orders/list/OrderTodos.tsx'

/** Something is due where either says so; nothing only where both do. */
const weights = ['some', 'asking', 'unknown', 'none'] as const satisfies readonly Due[]

export function HomeDuties({ onDue }: { onDue: (due: Due) => void }) {
  const [orders, setOrders] = useState<Due>('asking')
  const [backups, setBackups] = useState<Due>('asking')
  const due = weights.find((one) => one === orders || one === backups) ?? 'asking'
  useEffect(() => onDue(due), [onDue, due])
  return (
    <>
      <BackupDuties onDue={setBackups} />
      <Duties onDue={setOrders} />
    </>
  )
}
