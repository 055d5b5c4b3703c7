import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isOffline } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { ServiceBackups } from '#features/backups/stored/ServiceBackups.tsx'
import { BackupStates } from '#features/backups/BackupStates.tsx'
import { useServices } from '#features/backups/backup-hooks.ts'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

/** The backups of a customer, by service. They are read when a service is opened; a single service is open from the start. */
export function CustomerBackups({ customer, frame }: CustomerTabProps) {
  const list = useServices()
  const services = list.rows?.filter(({ company_id: companyId }) => companyId === customer.id)
  return (
    <Page title={frame.title} crumbs={frame.crumbs}>
      {frame.tabs}
      <LoadProblem problem={list.problem} onRetry={list.refetch} />
      {services?.length ? (
        <div className="card customer-services">
          {services.map((service) => (
            <ServiceSection key={service.id} service={service} isInitiallyOpen={services.length === 1} />
          ))}
        </div>
      ) : (
        <NoServices isRead={services !== undefined} {...list} />
      )}
    </Page>
  )
}

type NoServicesProps = Pick<ReturnType<typeof useServices>, 'freshness' | 'isFetching' | 'problem'> & {
  /** Whether the device has been read. */
  isRead: boolean
}

/** Shown while no service of the customer is known: an empty list may not have been loaded yet. */
function NoServices({ isRead, freshness: { asOf, isCached }, isFetching, problem }: NoServicesProps) {
  const { t } = useTranslation('customers')
  if (!isRead || isFetching || (asOf === null && !isCached)) return <Skeleton lines={6} />
  if (asOf !== null)
    return (
      <div className="card">
        <EmptyState icon="service" title={t('noServices')} />
      </div>
    )
  // The page shows the problem above.
  if (problem && !isOffline(problem)) return null
  return (
    <EmptyCard icon="offline" title={t('servicesNotHere')}>
      <p>{t('servicesNotHereText')}</p>
    </EmptyCard>
  )
}

function ServiceSection({ service, isInitiallyOpen }: { service: ServiceRow; isInitiallyOpen: boolean }) {
  const [isOpen, setIsOpen] = useState(isInitiallyOpen)
  return (
    <details className="customer-service" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span className="customer-code">{service.code}</span>
        <span lang={getNameLang(service.name)}>{service.name}</span>
        <BackupStates service={service} />
      </summary>
      {isOpen && <ServiceBackups service={service} />}
    </details>
  )
}
