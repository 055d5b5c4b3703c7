import { useParams } from 'react-router-dom'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Freshness } from '#ui/list/Freshness.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { useTranslation } from 'react-i18next'
import { type ServiceBackupsPart, type ServiceEventsPart, ServicePanel } from '#features/services/info/ServicePanel.tsx'
import { UnknownServiceCard } from '#features/services/info/UnknownServiceCard.tsx'
import { isUnknownService, useService } from '#features/services/info/useService.ts'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { ServiceStatusTag } from '#features/services/ServiceStatusTag.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'

const listPath = '/app/service'

interface ServiceDetailsParts {
  EventsPart: ServiceEventsPart
  Backups: ServiceBackupsPart
}

export function ServiceDetailsPage(parts: ServiceDetailsParts) {
  const { id = '' } = useParams()
  // The key remounts the page for another service.
  return /^\d{1,10}$/.test(id) ? <ServiceById key={id} id={Number(id)} {...parts} /> : <UnknownService />
}

function ServiceById({ id, EventsPart, Backups }: { id: number } & ServiceDetailsParts) {
  const { t } = useTranslation('services')
  const service = useService({ id })
  const { row, freshness, isFetching, problem, refetch, refresh } = service
  const jobs = useServiceJobs()
  const logPath = `${listPath}/${id}/log`
  const actions = useServiceActions({ jobs, logPath: () => logPath, onDone: refresh })
  if (!row) {
    if (isUnknownService(service)) return <UnknownService />
    return (
      <Page title={t('page.unknownTitle')} crumbs={[{ label: t('page.crumb'), to: listPath }]}>
        <ServiceStyles />
        <LoadPlaceholder
          problem={problem}
          title={t('page.missing')}
          offlineTitle={t('page.notHere')}
          offlineText={t('page.notHereText')}
          onRetry={refetch}
        />
        {actions.dialog}
      </Page>
    )
  }
  return (
    <Page
      title={row.name}
      crumbs={[{ label: t('page.crumb'), to: listPath }]}
      intro={
        <span className="service-intro">
          <code>{row.code}</code>
          <ServiceStatusTag {...row} />
          <Freshness freshness={{ asOf: freshness.asOf, cachedCount: 1, total: 1, complete: true }} />
        </span>
      }
      tools={[
        { key: 'refresh', label: t('refresh'), icon: 'refresh', isBusy: isFetching, onSelect: refetch },
        {
          key: 'menu',
          label: t('panel.menu', { code: row.code }),
          icon: 'more',
          isIconOnly: true,
          items: actions.listMenuItems(row),
        },
      ]}
    >
      <ServiceStyles />
      <LoadProblem problem={problem} onRetry={refetch} />
      <ServicePanel row={row} jobs={jobs} actions={actions} logPath={logPath} EventsPart={EventsPart} />
      <Backups row={row} />
      {actions.dialog}
    </Page>
  )
}

function UnknownService() {
  const { t } = useTranslation('services')
  const allServicesLink = (
    <ButtonLink kind="primary" to={listPath}>
      {t('page.all')}
    </ButtonLink>
  )
  return (
    <Page title={t('page.unknownTitle')} crumbs={[{ label: t('page.crumb'), to: listPath }]}>
      <ServiceStyles />
      <UnknownServiceCard action={allServicesLink} />
    </Page>
  )
}
