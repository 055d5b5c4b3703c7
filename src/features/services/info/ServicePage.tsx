import { useParams } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Freshness } from '#ui/list/Freshness.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type ServiceBackupsPart, type ServiceEventsPart, ServicePanel } from '#features/services/info/ServicePanel.tsx'
import { useService } from '#features/services/info/useService.ts'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useMoves } from '#features/services/operations/useMoves.tsx'
import { StatusTag } from '#features/services/ServiceState.tsx'
import { Sheet } from '#features/services/ServiceStyles.tsx'

const list = '/app/service'

interface Parts {
  Events: ServiceEventsPart
  Backups: ServiceBackupsPart
}

/** One service by its number, for the provider's admins. */
export function Service(parts: Parts) {
  const { id = '' } = useParams()
  // Each is a page of its own.
  return /^\d{1,10}$/.test(id) ? <One key={id} id={Number(id)} {...parts} /> : <Unknown />
}

function One({ id, Events, Backups }: { id: number } & Parts) {
  const { t } = useTranslation('services')
  const { row, freshness, isFetching, problem, refetch, refresh } = useService({ id })
  const jobs = useServiceJobs()
  const logPath = `${list}/${id}/log`
  const moves = useMoves({ jobs, logPath: () => logPath, onDone: refresh })
  if (!row) {
    const isUnknown = row === null && !problem && !isFetching && freshness.asOf !== null
    if (isUnknown) return <Unknown />
    return (
      <Page title={t('page.unknownTitle')} crumbs={[{ label: t('page.crumb'), to: list }]}>
        <Sheet />
        {isOffline(problem) ? (
          <section className="card">
            <EmptyState icon="offline" title={t('page.notHere')}>
              <p>{t('page.notHereText')}</p>
            </EmptyState>
          </section>
        ) : problem ? (
          <ProblemNote problem={problem} title={t('page.missing')} onRetry={refetch} />
        ) : (
          <Skeleton lines={6} />
        )}
        {moves.dialogs}
      </Page>
    )
  }
  return (
    <Page
      title={row.name}
      crumbs={[{ label: t('page.crumb'), to: list }]}
      intro={
        <span className="service-intro">
          <code>{row.code}</code>
          <StatusTag {...row} />
          <Freshness fresh={{ asOf: freshness.asOf, here: 1, total: 1, complete: true }} />
        </span>
      }
      action={
        <>
          <Button icon="refresh" busy={isFetching} onClick={refetch}>
            {t('refresh')}
          </Button>
          <Menu label={t('panel.menu', { code: row.code })} kind="quiet" items={moves.itemsOf(row)} />
        </>
      }
    >
      <Sheet />
      <LoadProblem problem={problem} onRetry={refetch} />
      <ServicePanel row={row} jobs={jobs} moves={moves} logPath={logPath} Events={Events} />
      <Backups row={row} />
      {moves.dialogs}
    </Page>
  )
}

function Unknown() {
  const { t } = useTranslation('services')
  const all = (
    <ButtonLink kind="primary" to={list}>
      {t('page.all')}
    </ButtonLink>
  )
  return (
    <Page title={t('page.unknownTitle')} crumbs={[{ label: t('page.crumb'), to: list }]}>
      <Sheet />
      <section className="card">
        <EmptyState icon="search" title={t('page.unknown')} action={all}>
          <p>{t('page.unknownText')}</p>
        </EmptyState>
      </section>
    </Page>
  )
}
