import { type ComponentType, useId } from 'react'
import { Link } from 'react-router-dom'
import type { ServiceRow } from '#contract/services.ts'
import { useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { Addresses } from '#features/services/Addresses.tsx'
import { Doing } from '#features/services/info/Doing.tsx'
import type { ServiceJob } from '#features/services/operations/jobs.ts'
import type { useMoves } from '#features/services/operations/useMoves.tsx'
import { memoryWords, StatusTag, tasksWords } from '#features/services/ServiceState.tsx'

/** What was done to it lately. */
export type ServiceEventsPart = ComponentType<{ row: ServiceRow }>

/** What is backed up of it. */
export type ServiceBackupsPart = ComponentType<{ row: ServiceRow }>

interface Props {
  row: ServiceRow
  jobs: readonly ServiceJob[] | undefined
  moves: ReturnType<typeof useMoves>
  logPath: string
  /** Inside a contract, which says itself whose it is and until when. */
  inContract?: boolean
  Events: ServiceEventsPart
}

/** All that is known of one running system, in cards: alike on the staff's page and inside a contract (D50). */
export function ServicePanel({ row, jobs, moves, logPath, inContract = false, Events }: Props) {
  return (
    <div className="service-panel">
      <Doing row={row} jobs={jobs} moves={moves} />
      <div className="service-sides">
        <StateCard {...{ row, moves, inContract, logPath }} />
        <div className="service-side">
          <AddressCard row={row} />
          {row.system_status > 0 && <ConfigCard row={row} moves={moves} />}
          <Events row={row} />
        </div>
      </div>
    </div>
  )
}

function StateCard({ row, moves, inContract, logPath }: Omit<Props, 'jobs' | 'Events'>) {
  const { t } = useTranslation('services')
  const { caller } = useSignedIn()
  const title = useId()
  const history = historyPath({ code: 'service', name: row.code, companyId: row.company_id }, caller)
  const isCreated = row.system_status > 0
  return (
    <section className="card" aria-labelledby={title}>
      <h2 id={title}>{t('panel.health')}</h2>
      <Facts>
        <Fact label={t('panel.status')}>
          <StatusTag {...row} />
        </Fact>
        {isCreated && (
          <Fact label={t('panel.reachable')}>
            <span className={row.online ? 'service-good' : 'service-bad'}>{t(row.online ? 'online' : 'offline')}</span>
          </Fact>
        )}
        {!inContract && (
          <>
            <Fact label={t('panel.company')}>
              <bdi>{row.company_name}</bdi> <code>{row.company_code}</code>
            </Fact>
            <Fact label={t('panel.contract')}>
              {row.contract === null ? t('panel.noContract') : <CopyText text={row.contract} />}
            </Fact>
          </>
        )}
        <Fact label={t('panel.created')}>{row.create_time}</Fact>
        {!inContract && row.expired_date !== null && <Fact label={t('panel.expires')}>{row.expired_date}</Fact>}
        {row.stop_date !== null && <Fact label={t('panel.stop')}>{row.stop_date}</Fact>}
        {row.erase_date !== null && <Fact label={t('panel.erase')}>{row.erase_date}</Fact>}
      </Facts>
      {row.fault !== null && (
        <div className="service-fault" role="status">
          <Icon name="alert" />
          <div>
            <strong>{t(`fault.${row.fault}`)}</strong>
            <p>{t(`advice.${row.fault}`)}</p>
          </div>
        </div>
      )}
      {!isCreated && (
        <p className="service-note">
          {row.erase_date === null ? t('panel.notCreated') : t('panel.removed', { date: row.erase_date })}
        </p>
      )}
      <p className="service-links">
        {moves.offers(row, 'log') && <Link to={logPath}>{t('panel.log')}</Link>}
        {history !== null && <Link to={history}>{t('panel.history')}</Link>}
      </p>
    </section>
  )
}

function AddressCard({ row }: { row: ServiceRow }) {
  const { t } = useTranslation('services')
  const title = useId()
  return (
    <section className="card service-addresses" aria-labelledby={title}>
      <h2 id={title}>{t('panel.addresses')}</h2>
      <Addresses row={row} />
    </section>
  )
}

/** What is set beside what runs, until a reboot has made them the same. */
function ConfigCard({ row, moves }: Pick<Props, 'row' | 'moves'>) {
  const { t } = useTranslation('services')
  const title = useId()
  return (
    <section className="card" aria-labelledby={title}>
      <h2 id={title}>{t('capacity.title')}</h2>
      <table className="service-config-table">
        <thead>
          <tr>
            <th scope="col">{t('capacity.what')}</th>
            <th scope="col">{t('capacity.set')}</th>
            <th scope="col">{t('capacity.running')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('capacity.memoryLabel')}</th>
            <td>{memoryWords(row.task_runtime_memory, t)}</td>
            <td>{memoryWords(row.running_memory, t)}</td>
          </tr>
          <tr>
            <th scope="row">{t('capacity.tasksLabel')}</th>
            <td>{row.task_desire_count === 0 ? t('capacity.stopped') : tasksWords(row.task_desire_count, t)}</td>
            <td>{number(row.running_tasks)}</td>
          </tr>
        </tbody>
      </table>
      {row.needs_reboot && (
        <div className="service-reboot" role="status">
          <p>
            <strong>{t('needsReboot')}</strong> {t('panel.needsReboot')}
          </p>
          {moves.offers(row, 'reboot') && (
            <Button
              icon="refresh"
              whyNot={moves.whyNot('reboot', row)}
              onClick={() => moves.open({ kind: 'reboot', row })}
            >
              {t('panel.reboot')}
            </Button>
          )}
        </div>
      )}
    </section>
  )
}
