import { useEffect, useId, useRef } from 'react'
import { isOffline } from '#contract/problem.ts'
import type { OrderRow } from '#contract/orders.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { SkeletonCard } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { NewerAppsNote } from '#features/services/info/NewerAppsNote.tsx'
import { ServiceProgress } from '#features/services/info/ServiceProgress.tsx'
import {
  AddressesCard,
  ConfigFacts,
  NotCreatedNote,
  type ServiceEventsPart,
  StateCard,
} from '#features/services/info/ServicePanel.tsx'
import { useService } from '#features/services/info/useService.ts'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'

interface ContractServiceProps {
  order: OrderRow
  /** Called if the state of the service differs from the order's, which means that the order is out of date. */
  onChanged: () => void
  EventsPart: ServiceEventsPart
}

/** Shows the service of a contract on the contract's page, for users with the order right (D50). */
export function ContractService({ order, onChanged, EventsPart }: ContractServiceProps) {
  const { t } = useTranslation('services')
  const titleId = useId()
  const { row, problem, isFetching, refetch, refresh } = useService({ contractId: order.contract_id })
  const jobs = useServiceJobs()
  const logPath = `/app/contract/${order.id}/log`
  const actions = useServiceActions({ jobs, logPath: () => logPath, onDone: refresh })
  useNotifyDifference(row ?? null, order, onChanged)
  if (!row && !problem && (isFetching || row === undefined))
    return (
      <div className="page-aside">
        <SkeletonCard />
      </div>
    )
  return (
    <section className="page-columns-part" aria-labelledby={titleId}>
      <ServiceStyles />
      <div className="card">
        <div className="service-head">
          <h2 id={titleId}>{t('panel.title')}</h2>
          {row && <Menu label={t('panel.menu', { code: row.code })} kind="quiet" items={actions.listMenuItems(row)} />}
        </div>
        <LoadProblem problem={problem} title={t('page.missing')} onRetry={refetch} />
        {row && (
          <>
            <ServiceProgress row={row} jobs={jobs} actions={actions} />
            {row.system_status > 0 && <ConfigFacts row={row} actions={actions} label={t('capacity.title')} />}
            <NewerAppsNote row={row} actions={actions} />
            <NotCreatedNote row={row} />
          </>
        )}
        {row === null && (!problem || isOffline(problem)) && <p className="service-note">{t('panel.none')}</p>}
      </div>
      {row && (
        <div className="page-aside service-panel">
          <StateCard row={row} actions={actions} logPath={logPath} isInContract />
          <AddressesCard row={row} />
          <EventsPart row={row} />
        </div>
      )}
      {actions.dialog}
    </section>
  )
}

type ServiceStateSummary = Pick<OrderRow, 'online' | 'system_status'>

/** Calls `onChanged` once for each state of the service that differs from the order's. */
function useNotifyDifference(row: ServiceStateSummary | null, order: ServiceStateSummary, onChanged: () => void) {
  const notifiedState = useRef('')
  const currentState = row && `${row.online} ${row.system_status}`
  const isDifferent = currentState !== null && currentState !== `${order.online} ${order.system_status}`
  useEffect(() => {
    if (!isDifferent || currentState === null || notifiedState.current === currentState) return
    notifiedState.current = currentState
    onChanged()
  })
}
