import type { ComponentType, ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { ServiceRow } from '#contract/services.ts'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import { isProvider } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { formatAdvice, formatFault, formatGivenUpAdvice } from '#features/services/fault-texts.ts'
import { formatMemoryDifference } from '#features/services/memory-difference.ts'
import { AddressFacts } from '#features/services/AddressFacts.tsx'
import { NewerAppsNote } from '#features/services/info/NewerAppsNote.tsx'
import { ServiceProgress } from '#features/services/info/ServiceProgress.tsx'
import type { ServiceJob } from '#features/services/operations/jobs.ts'
import type { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { formatMemory, ServiceStatusTag, formatTasks } from '#features/services/ServiceStatusTag.tsx'

export type ServiceEventsPart = ComponentType<{ row: Pick<ServiceRow, 'code' | 'company_id' | 'row_version'> }>

export type ServiceBackupsPart = ComponentType<{ row: ServiceRow }>

interface ServicePanelProps {
  row: ServiceRow
  jobs: readonly ServiceJob[] | undefined
  actions: ReturnType<typeof useServiceActions>
  logPath: string
  EventsPart: ServiceEventsPart
}

/** Shows one service in cards, on the staff's page. */
export function ServicePanel({ row, jobs, actions, logPath, EventsPart }: ServicePanelProps) {
  return (
    <div className="service-panel">
      <ServiceProgress row={row} jobs={jobs} actions={actions} />
      <div className="service-sides">
        <div className="service-side">
          <StateCard {...{ row, actions, logPath }} />
          {row.system_status > 0 && <ConfigCard row={row} actions={actions} />}
        </div>
        <div className="service-side">
          <AddressesCard row={row} />
          <EventsPart row={row} />
        </div>
      </div>
    </div>
  )
}

export function AddressesCard({ row }: Pick<ServicePanelProps, 'row'>) {
  const { t } = useTranslation('services')
  return (
    <TitledCard title={t('panel.addresses')} className="service-addresses">
      <AddressFacts row={row} />
    </TitledCard>
  )
}

interface StateCardProps extends Pick<ServicePanelProps, 'row' | 'actions' | 'logPath'> {
  /** Whether the card is on a contract's page. It then hides the company and the dates, which that page shows already. */
  isInContract?: boolean
}

export function StateCard({ row, actions, isInContract = false, logPath }: StateCardProps) {
  const { t } = useTranslation('services')
  const { caller } = useSignedInSession()
  const trailPath = buildHistoryPath({ code: 'service', name: row.code, companyId: row.company_id }, caller)
  return (
    <TitledCard title={t('panel.health')}>
      <StateFacts row={row} isInContract={isInContract} />
      {row.fault !== null && (
        <FaultNote title={formatFault(row.fault)}>
          <p>{formatAdvice(row.fault, isProvider(caller))}</p>
        </FaultNote>
      )}
      {row.deployment_fault && (
        <FaultNote title={t('givenUp.title', { fault: formatFault(row.deployment_fault) })}>
          {row.online === 1 && <p>{t('givenUp.text')}</p>}
          <p>{formatGivenUpAdvice(row.deployment_fault, isProvider(caller))}</p>
        </FaultNote>
      )}
      {!isInContract && <NewerAppsNote row={row} actions={actions} />}
      {!isInContract && <NotCreatedNote row={row} />}
      <p className="service-links">
        {actions.isOffered(row, 'log') && <Link to={logPath}>{t('panel.log')}</Link>}
        {trailPath !== null && <Link to={trailPath}>{t('panel.history')}</Link>}
      </p>
    </TitledCard>
  )
}

/** Says that the system of the service does not exist. */
export function NotCreatedNote({ row }: Pick<ServicePanelProps, 'row'>) {
  const { t } = useTranslation('services')
  if (row.system_status !== 0) return null
  return (
    <p className="service-note">
      {row.erase_date === null ? t('panel.notCreated') : t('panel.removed', { date: row.erase_date })}
    </p>
  )
}

function FaultNote({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="service-fault" role="status">
      <Icon name="alert" />
      <div>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  )
}

function StateFacts({ row, isInContract }: { row: ServiceRow; isInContract: boolean }) {
  const { t } = useTranslation('services')
  const dates = [
    { label: t('panel.created'), date: row.create_time },
    { label: t('panel.expires'), date: isInContract ? null : row.expired_date },
    { label: t('panel.stop'), date: row.stop_date },
    { label: t('panel.erase'), date: row.erase_date },
  ].filter(({ date }) => date !== null)
  return (
    <DescriptionList>
      <DescriptionItem label={t('panel.status')}>
        <ServiceStatusTag {...row} />
      </DescriptionItem>
      {row.system_status > 0 && (
        <DescriptionItem label={t('panel.reachable')}>
          <span className={row.online ? 'service-good' : 'service-bad'}>{t(row.online ? 'online' : 'offline')}</span>
        </DescriptionItem>
      )}
      {!isInContract && (
        <>
          <DescriptionItem label={t('panel.company')}>
            <bdi>{row.company_name}</bdi> <code>{row.company_code}</code>
          </DescriptionItem>
          <DescriptionItem label={t('panel.contract')}>
            {row.contract === null ? t('panel.noContract') : <CopyText text={row.contract} />}
          </DescriptionItem>
        </>
      )}
      {dates.map(({ label, date }) => (
        <DescriptionItem key={label} label={label}>
          {date}
        </DescriptionItem>
      ))}
    </DescriptionList>
  )
}

function ConfigCard(props: Pick<ServicePanelProps, 'row' | 'actions'>) {
  const { t } = useTranslation('services')
  return (
    <TitledCard title={t('capacity.title')}>
      <ConfigFacts {...props} label={t('capacity.what')} />
    </TitledCard>
  )
}

/** Shows configured and running values. A reboot makes them equal. `label` is the head of the column with their names. */
export function ConfigFacts({ row, actions, label }: Pick<ServicePanelProps, 'row' | 'actions'> & { label: string }) {
  const { t } = useTranslation('services')
  const memoryDifference = formatMemoryDifference(row, t)
  return (
    <>
      <table className="service-config-table">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <th scope="col">{t('capacity.set')}</th>
            <th scope="col">{t('capacity.running')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('capacity.memoryLabel')}</th>
            <td>{formatMemory(row.task_runtime_memory, t)}</td>
            <td>{formatMemory(row.running_memory, t)}</td>
          </tr>
          <tr>
            <th scope="row">{t('capacity.tasksLabel')}</th>
            <td>{row.task_desire_count === 0 ? t('capacity.stopped') : formatTasks(row.task_desire_count, t)}</td>
            <td>{formatNumber(row.running_tasks)}</td>
          </tr>
        </tbody>
      </table>
      {memoryDifference !== null && (
        <p className="service-note">{t('capacity.differentText', { difference: memoryDifference })}</p>
      )}
      {row.needs_reboot && (
        <div className="service-reboot" role="status">
          <p>
            <strong>{t('needsReboot')}</strong> {t('panel.needsReboot')}
          </p>
          {actions.isOffered(row, 'reboot') && (
            <Button
              icon="refresh"
              disabledReason={actions.getDisabledReason('reboot', row)}
              aria-haspopup="dialog"
              onClick={() => actions.openDialog({ kind: 'reboot', row })}
            >
              {t('panel.reboot')}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
