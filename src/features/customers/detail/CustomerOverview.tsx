import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { isAllowed } from '#domain/access.ts'
import { maxReminderDays } from '#domain/contracts.ts'
import { describeDue } from '#domain/dues.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatNumber, Freshness } from '#ui/list/Freshness.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { Page } from '#ui/page/Page.tsx'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import { useCompact } from '#ui/page/useCompact.ts'
import { useToday } from '#ui/page/use-today.ts'
import { ActForCustomer } from '#features/customers/detail/ActForCustomer.tsx'
import type { CustomerDetailsRow, CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { buildTabPath, listCustomerTabs } from '#features/customers/detail/customer-tabs.ts'
import { listCustomerDues, listEndingContracts } from '#features/customers/detail/customer-lines.ts'
import { HealthTag } from '#features/customers/HealthTag.tsx'
import { RelativeTime, useServerNow } from '#features/customers/RelativeTime.tsx'
import { UnpaidAmounts } from '#features/customers/UnpaidAmounts.tsx'

/** The latest entries of the customer's trail. The audit trail implements it, and the app passes it. */
export type CustomerEventsPart = ComponentType<{ companyId: number; refreshKey: unknown }>

interface OverviewProps extends CustomerTabProps {
  EventsPart: CustomerEventsPart
}

/** The first tab of a customer: what it owes, which contracts end soon, its services, who it is, and what happened last. */
export function CustomerOverview({ customer, asOf, frame, EventsPart }: OverviewProps) {
  const { t } = useTranslation('customers')
  const { caller } = useSignedInSession()
  const isCompact = useCompact()
  const canOrder = isAllowed('staffOrder', caller)
  const freshness = <Freshness freshness={{ asOf, cachedCount: 1, total: 1, complete: true }} />
  return (
    <Page
      title={frame.title}
      crumbs={frame.crumbs}
      intro={!isCompact && freshness}
      action={
        canOrder && (
          <div className="page-bar">
            <ButtonLink kind="primary" icon="plus" to={`/app/contract/new?company=${customer.id}`}>
              {t('newContract')}
            </ButtonLink>
          </div>
        )
      }
    >
      {frame.tabs}
      {isCompact && freshness}
      <div className="customer-cards">
        <div>
          <DuesCard customer={customer} canOpen={canOrder} />
          <ServicesCard customer={customer} hasTab={listCustomerTabs(caller).includes('services')} />
          <EventsPart companyId={customer.id} refreshKey={customer.last_activity} />
        </div>
        <div>
          <EndingCard customer={customer} canOpen={canOrder} />
          <FactsCard customer={customer} />
          {isAllowed('providerAdmin', caller) && <ActForCustomer customer={customer} />}
        </div>
      </div>
    </Page>
  )
}

interface CardProps {
  customer: CustomerDetailsRow
  canOpen: boolean
}

function DuesCard({ customer, canOpen }: CardProps) {
  const { t } = useTranslation('customers')
  const { t: tDues } = useTranslation('dues')
  const { lines, moreCount, sums } = listCustomerDues(customer, useToday(null))
  const translate = tDues as unknown as Parameters<typeof describeDue>[1]
  return (
    <TitledCard title={t('column.unpaid')} className="customer-dues">
      {sums.length === 0 ? (
        <p className="customer-none">{t('overview.nothingDue')}</p>
      ) : (
        <>
          <p className="customer-sum">
            <UnpaidAmounts unpaid={sums} />
          </p>
          <ul className="customer-lines">
            {lines.map(({ id, code, due, days }) => (
              <li key={`${due.contractType} ${due.id}`}>
                <ContractLink {...{ id, code, canOpen }} />
                <span>{describeDue(due, translate)}</span>
                <span className="customer-line-end">
                  <Amount currency={due.currency} amount={due.amount} />
                  <span className="customer-muted">
                    {t(days < 0 ? 'overview.overdue' : 'overview.by', { date: due.due.slice(0, 10) })}
                  </span>
                </span>
              </li>
            ))}
          </ul>
          {moreCount > 0 && (
            <MoreContracts id={customer.id} query="?status=0" canOpen={canOpen}>
              {t('overview.moreDues', { count: moreCount, number: formatNumber(moreCount) })}
            </MoreContracts>
          )}
        </>
      )}
      <Link to={buildTabPath(customer.id, 'payments')}>{t('overview.payments')}</Link>
    </TitledCard>
  )
}

function EndingCard({ customer, canOpen }: CardProps) {
  const { t } = useTranslation('customers')
  const { lines, isCut } = listEndingContracts(customer, useToday(null))
  return (
    <TitledCard title={t('overview.ending')}>
      {lines.length === 0 ? (
        <p className="customer-none">
          {t('overview.noneEnding', { number: formatNumber(maxReminderDays.beforeExpiry) })}
        </p>
      ) : (
        <ul className="customer-lines">
          {lines.map(({ id, code, name, expired_date: end, days }) => (
            <li key={id}>
              <ContractLink {...{ id, code, canOpen }} />
              <span>{name}</span>
              <span className="customer-line-end">
                <span>{end}</span>
                <span className="customer-muted">{t('overview.days', { count: days })}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {isCut && (
        <MoreContracts id={customer.id} query="?ending=true" canOpen={canOpen}>
          {t('overview.moreEnding')}
        </MoreContracts>
      )}
      <p className="customer-muted">
        {t('overview.contracts', {
          count: customer.contracts,
          active: formatNumber(customer.effective_contracts),
          number: formatNumber(customer.contracts),
        })}
      </p>
    </TitledCard>
  )
}

interface MoreContractsProps {
  id: number
  query: string
  canOpen: boolean
  children: ReactNode
}

/** Says that the lines above are not all, and leads to the customer's contracts if the caller may open them. */
const MoreContracts = ({ id, query, canOpen, children }: MoreContractsProps) =>
  canOpen ? (
    <Link to={`${buildTabPath(id, 'contracts')}${query}`}>{children}</Link>
  ) : (
    <p className="customer-muted">{children}</p>
  )

const ContractLink = ({ id, code, canOpen }: { id: number; code: string; canOpen: boolean }) =>
  canOpen ? (
    <Link className="customer-code" to={`/app/contract/${id}`}>
      {code}
    </Link>
  ) : (
    <span className="customer-code">{code}</span>
  )

function ServicesCard({ customer, hasTab }: { customer: CustomerDetailsRow; hasTab: boolean }) {
  const { t } = useTranslation('customers')
  return (
    <TitledCard title={t('column.services')}>
      <p className="customer-health">
        <HealthTag health={customer.health} />
        <span>
          {t('overview.running', {
            count: customer.services,
            active: formatNumber(customer.running_services),
            number: formatNumber(customer.services),
          })}
        </span>
      </p>
      {hasTab && <Link to={buildTabPath(customer.id, 'services')}>{t('overview.services')}</Link>}
    </TitledCard>
  )
}

/** Province and city of a company in China or Hong Kong are numbers of a list that only the form of the company loads. */
const isReadable = (text: string | null): text is string => text !== null && text !== '' && !/^\d+$/.test(text)

function FactsCard({ customer }: { customer: CustomerDetailsRow }) {
  const { t } = useTranslation('customers')
  const now = useServerNow()
  const { profile, country } = customer
  const address = [profile.addr1, profile.addr2, profile.addr3, profile.city, profile.province].filter(isReadable)
  const facts: [label: string, value: ReactNode][] = [
    [t('column.code'), <CopyText key="code" text={customer.code} />],
    [t('fact.country'), country && t(`country.${country}`)],
    [t('fact.address'), address.length > 0 && <bdi key="address">{address.join(', ')}</bdi>],
    [t('fact.tel'), profile.tel],
    [
      t('fact.email'),
      profile.email && (
        <a key="email" className="customer-mail" href={`mailto:${profile.email}`}>
          {profile.email}
        </a>
      ),
    ],
    [t('fact.website'), profile.website && <bdi key="website">{profile.website}</bdi>],
    [t('fact.tax'), profile.tax_number],
    [
      t('column.activity'),
      customer.last_activity && <RelativeTime key="activity" time={customer.last_activity} now={now} />,
    ],
    [t('column.created'), customer.create_time.slice(0, 10)],
  ]
  return (
    <TitledCard title={t('overview.facts')}>
      <DescriptionList>
        {facts.map(([label, value]) => (
          <DescriptionItem key={label} label={label}>
            {value || <NoValue />}
          </DescriptionItem>
        ))}
      </DescriptionList>
    </TitledCard>
  )
}
