import { useParams } from 'react-router-dom'
import { getOrder, type OrderRow } from '#contract/orders.ts'
import { useRecord } from '#state/use-record.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { type PageCrumb, Page } from '#ui/page/Page.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { useTranslation } from 'react-i18next'
import { UnknownServiceCard } from '#features/services/info/UnknownServiceCard.tsx'
import { isUnknownService, type ServiceState, useService } from '#features/services/info/useService.ts'
import { LogView } from '#features/services/log/LogView.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'
import { useBusinessNow } from '#features/services/useBusinessNow.ts'

export function ServiceLogPage() {
  const { t } = useTranslation('services')
  const id = useIdParam()
  const service = useService({ id })
  const crumbs = [{ label: t('page.crumb'), to: '/app/service' }]
  const allCrumbs = service.row ? [...crumbs, { label: service.row.name, to: `/app/service/${id}` }] : crumbs
  return <LogFrame service={service} crumbs={allCrumbs} />
}

/** Shows the log of a contract's service, for users with the order right (D50). */
export function ContractLogPage() {
  const { t } = useTranslation('services')
  const id = useIdParam()
  const { record: order, problem: orderProblem } = useRecord<OrderRow>(
    getOrder,
    { params: { id } },
    { table: 'orders', id },
  )
  const service = useService({ contractId: order?.row.contract_id || -1 })
  const crumbs = [{ label: t('log.crumb'), to: '/app/contract' }]
  if (order)
    return <LogFrame service={service} crumbs={[...crumbs, { label: order.row.name, to: `/app/contract/${id}` }]} />
  // The service is determined by the order, so the order must be loaded first.
  const orderState = orderProblem ? { row: null, problem: orderProblem } : { row: undefined }
  return <LogFrame service={{ ...service, ...orderState }} crumbs={crumbs} />
}

/** Returns the id in the address, or 0 if it is not a valid id. */
function useIdParam(): number {
  const { id = '' } = useParams()
  return /^\d{1,10}$/.test(id) ? Number(id) : 0
}

interface LogFrameProps {
  service: ServiceState
  crumbs: PageCrumb[]
}

function LogFrame({ service, crumbs }: LogFrameProps) {
  const { t } = useTranslation('services')
  const clock = useBusinessNow()
  const { row } = service
  return (
    <Page title={row ? t('log.title', { code: row.code }) : t('log.titleUnknown')} crumbs={crumbs}>
      <ServiceStyles />
      {row && clock ? (
        <LogView service={row} clock={clock} />
      ) : (
        <MissingLog service={service} backPath={crumbs.at(-1)?.to ?? '/app/home'} />
      )}
    </Page>
  )
}

function MissingLog({ service, backPath }: { service: ServiceState; backPath: string }) {
  const { t } = useTranslation('services')
  if (isUnknownService(service))
    return <UnknownServiceCard action={<ButtonLink to={backPath}>{t('log.back')}</ButtonLink>} />
  return (
    <LoadPlaceholder
      problem={service.problem}
      title={t('log.problem')}
      offlineTitle={t('log.needsConnection')}
      lines={8}
      onRetry={service.refetch}
    />
  )
}
