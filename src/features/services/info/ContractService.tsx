import { useEffect, useId, useRef } from 'react'
import { isOffline } from '#contract/problem.ts'
import type { OrderRow } from '#contract/orders.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { ServicePanel, type ServiceEventsPart } from '#features/services/info/ServicePanel.tsx'
import { useService } from '#features/services/info/useService.ts'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useMoves } from '#features/services/operations/useMoves.tsx'
import { Sheet } from '#features/services/ServiceStyles.tsx'

interface Props {
  order: OrderRow
  /** The service is another than the order says: what is told of its set-up is old. */
  onChanged: () => void
  Events: ServiceEventsPart
}

/** The running system of a contract, inside its page: for who orders (D50). */
export function ContractService({ order, onChanged, Events }: Props) {
  const { t } = useTranslation('services')
  const title = useId()
  const { row, problem, isFetching, refetch, refresh } = useService({ contractId: order.contract_id })
  const jobs = useServiceJobs()
  const logPath = `/app/contract/${order.id}/log`
  const moves = useMoves({ jobs, logPath: () => logPath, onDone: refresh })
  useOther(row ?? null, order, onChanged)
  if (!row && !problem && isFetching) return null
  return (
    <section className="service-in-contract" aria-labelledby={title}>
      <Sheet />
      <div className="service-head">
        <h2 id={title}>{t('panel.title')}</h2>
        {row && <Menu label={t('panel.menu', { code: row.code })} kind="quiet" items={moves.itemsOf(row)} />}
      </div>
      <LoadProblem problem={problem} title={t('page.missing')} onRetry={refetch} />
      {row && <ServicePanel row={row} jobs={jobs} moves={moves} logPath={logPath} inContract Events={Events} />}
      {row === null && (!problem || isOffline(problem)) && <p className="service-note">{t('panel.none')}</p>}
      {moves.dialogs}
    </section>
  )
}

type Known = Pick<OrderRow, 'online' | 'system_status'>

/** Says once for each state in which the service is found other than its order tells. */
function useOther(row: Known | null, order: Known, onChanged: () => void) {
  const told = useRef('')
  const now = row && `${row.online} ${row.system_status}`
  const isOther = now !== null && now !== `${order.online} ${order.system_status}`
  useEffect(() => {
    if (!isOther || now === null || told.current === now) return
    told.current = now
    onChanged()
  })
}
