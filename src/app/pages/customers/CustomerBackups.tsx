import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ServiceRow } from '#contract/services.ts'
import { ServiceBackups } from '#features/backups/stored/ServiceBackups.tsx'
import { useServices } from '#features/backups/backup-hooks.ts'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

/** The backups of a customer, by service. They are read when a service is opened; a single service is open from the start. */
export function CustomerBackups({ customer, frame }: CustomerTabProps) {
  const { t } = useTranslation('customers')
  const list = useServices()
  const services = list.rows?.filter(({ company_id: companyId }) => companyId === customer.id)
  return (
    <Page title={frame.title} crumbs={frame.crumbs}>
      {frame.tabs}
      <LoadProblem problem={list.problem} onRetry={list.refetch} />
      {services === undefined ? (
        <Skeleton lines={6} />
      ) : services.length === 0 ? (
        <div className="card">
          <EmptyState icon="service" title={t('noServices')} />
        </div>
      ) : (
        services.map((service) => (
          <ServiceSection key={service.id} service={service} isInitiallyOpen={services.length === 1} />
        ))
      )}
    </Page>
  )
}

function ServiceSection({ service, isInitiallyOpen }: { service: ServiceRow; isInitiallyOpen: boolean }) {
  const [isOpen, setIsOpen] = useState(isInitiallyOpen)
  return (
    <details className="customer-service" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="down" />
        <span className="customer-code">{service.code}</span>
        <span>{service.name}</span>
      </summary>
      {isOpen && <ServiceBackups service={service} />}
    </details>
  )
}
