import { useParams } from 'react-router-dom'
import { getOrder, type OrderRow } from '#contract/orders.ts'
import { isOffline } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { readSingleRow } from '#local/lists/read-row.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { type PageCrumb, Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { useService } from '#features/services/info/useService.ts'
import { LogView } from '#features/services/log/LogView.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'
import { useBusinessNow } from '#features/services/useBusinessNow.ts'

/** The log of a service by its number, for the provider's admins. */
export function ServiceLogPage() {
  const { t } = useTranslation('services')
  const id = useIdParam()
  const service = useService({ id })
  const crumbs = [{ label: t('page.crumb'), to: '/app/service' }]
  const allCrumbs = service.row ? [...crumbs, { label: service.row.name, to: `/app/service/${id}` }] : crumbs
  return <LogFrame {...service} crumbs={allCrumbs} />
}

/** The log of a contract's service, for who orders (D50). */
export function ContractLogPage() {
  const { t } = useTranslation('services')
  const id = useIdParam()
  const orderInput = { params: { id } }
  const { problem: orderProblem } = useCachedResponse(readAgedResponse, getOrder, orderInput)
  const { path } = toHttpRequest(getOrder, orderInput)
  const order = useLiveQuery(async () => await readSingleRow<OrderRow>(path, 'orders', id), [path, id])
  const service = useService({ contractId: order?.row.contract_id || -1 })
  const crumbs = [{ label: t('log.crumb'), to: '/app/contract' }]
  const allCrumbs = order ? [...crumbs, { label: order.row.name, to: `/app/contract/${id}` }] : crumbs
  // Without its order nothing is known of which service it is.
  const isOrderUnread = !order && orderProblem !== null
  return (
    <LogFrame
      {...service}
      row={order ? service.row : isOrderUnread ? null : undefined}
      problem={isOrderUnread ? orderProblem : service.problem}
      crumbs={allCrumbs}
    />
  )
}

/** Of the address; 0 names nothing. */
function useIdParam(): number {
  const { id = '' } = useParams()
  return /^\d{1,10}$/.test(id) ? Number(id) : 0
}

type LogServiceState = Pick<ReturnType<typeof useService>, 'problem' | 'isFetching' | 'refetch' | 'freshness'>

function LogFrame({
  row,
  problem,
  isFetching,
  freshness,
  refetch,
  crumbs,
}: LogServiceState & { row: ServiceRow | null | undefined; crumbs: PageCrumb[] }) {
  const { t } = useTranslation('services')
  const clock = useBusinessNow()
  const backPath = crumbs.at(-1)?.to ?? '/app/home'
  const isUnknown =
    row === null && !isFetching && (problem?.code === 'NOT_FOUND' || (!problem && freshness.asOf !== null))
  return (
    <Page title={row ? t('log.title', { code: row.code }) : t('log.titleUnknown')} crumbs={crumbs}>
      <ServiceStyles />
      {row && clock ? (
        <LogView service={row} clock={clock} />
      ) : isUnknown ? (
        <section className="card">
          <EmptyState
            icon="search"
            title={t('page.unknown')}
            action={<ButtonLink to={backPath}>{t('log.back')}</ButtonLink>}
          >
            <p>{t('page.unknownText')}</p>
          </EmptyState>
        </section>
      ) : isOffline(problem) ? (
        <section className="card">
          <EmptyState icon="offline" title={t('log.needsConnection')} />
        </section>
      ) : problem ? (
        <ProblemNote problem={problem} title={t('log.problem')} onRetry={refetch} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  )
}
