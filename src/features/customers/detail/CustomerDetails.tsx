import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router-dom'
import type { OutputOf } from '#contract/endpoint.ts'
import { getCustomer } from '#contract/staff/customers.ts'
import type { CompanyFrame } from '#patterns/list-page/company-frame.ts'
import { useRecord } from '#state/use-record.ts'
import { parseId } from '#state/view-fields.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Redirect } from '#ui/page/Redirect.tsx'
import { CustomerStyles } from '#features/customers/CustomerStyles.tsx'
import { buildTabPath, type CustomerTab, listCustomerTabs } from '#features/customers/detail/customer-tabs.ts'

export type CustomerDetailsRow = OutputOf<typeof getCustomer>

export interface CustomerTabProps {
  customer: CustomerDetailsRow
  /** Server time of the customer's data, in epoch ms. */
  asOf: number | null
  frame: CompanyFrame
}
export type CustomerTabPages = Record<CustomerTab, ComponentType<CustomerTabProps>>

/** The page of one customer (decision 107). `tabs` are its pages; those of other features come from the app. */
export function CustomerDetails({ tabs }: { tabs: CustomerTabPages }) {
  const { t } = useTranslation('customers')
  const { caller } = useSignedInSession()
  const params = useParams()
  const id = parseId(params.id ?? null)
  const { record: customer, asOf, problem, refetch } = useRecord(getCustomer, id === null ? null : { params: { id } })
  const allowedTabs = listCustomerTabs(caller)
  const tab = allowedTabs.find((name) => name === (params.tab ?? 'overview'))
  const crumbs = [{ label: t('title'), to: '/app/m18/customer' }]
  if (id !== null && tab === undefined) return <Redirect to={buildTabPath(id, 'overview')} reason={t('tab.none')} />
  if (!customer || id === null || tab === undefined)
    return (
      <Page title={t('title')} crumbs={crumbs}>
        <CustomerStyles />
        {id === null || problem?.code === 'NOT_FOUND' ? (
          <EmptyCard icon="search" title={t('unknown')}>
            <p>{t('unknownText')}</p>
          </EmptyCard>
        ) : (
          <LoadPlaceholder
            problem={problem}
            title={t('notLoaded')}
            offlineTitle={t('notHere')}
            offlineText={t('notHereText')}
            onRetry={() => void refetch()}
          />
        )}
      </Page>
    )
  const TabPage = tabs[tab]
  const frame: CompanyFrame = {
    companyId: id,
    companyCode: customer.code,
    title: customer.name,
    crumbs,
    tabs: (
      <>
        <CustomerStyles />
        <TabLinks
          label={t('tab.label')}
          tabs={allowedTabs.map((name) => ({ name, label: t(`tab.${name}`), path: buildTabPath(id, name) }))}
          currentName={tab}
        />
        <LoadProblem problem={problem} onRetry={() => void refetch()} />
      </>
    ),
  }
  return <TabPage key={`${id} ${tab}`} customer={customer} asOf={asOf} frame={frame} />
}
