import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { isAllowed } from '#domain/access.ts'
import { maxReminderDays } from '#domain/contracts.ts'
import { describeDue } from '#domain/dues.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { formatBusinessTime, getBusinessNow } from '#ui/page/business-clock.ts'
import { Page } from '#ui/page/Page.tsx'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import type { CustomerDetailsRow, CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { buildTabPath, listCustomerTabs } from '#features/customers/detail/customer-tabs.ts'
import { HealthTag } from '#features/customers/HealthTag.tsx'
import { RelativeTime, useServerNow } from '#features/customers/RelativeTime.tsx'
import { UnpaidAmounts } from '#features/customers/UnpaidAmounts.tsx'

/** The latest entries of the customer's trail. The audit trail implements it, and the app passes it. */
export type CustomerEventsPart = ComponentType<{ companyId: number; refreshKey: unknown }>

interface OverviewProps extends CustomerTabProps {
  EventsPart: CustomerEventsPart
}

/** The first tab of a customer: what it owes, which contracts end soon, its services, who it is, and what happened last. */
export function CustomerOverview({ customer, frame, EventsPart }: OverviewProps) {
  const { t } = useTranslation('customers')
  const { caller } = useSignedInSession()
  const canOrder = isAllowed('staffOrder', caller)
  return (
    <Page
      title={frame.title}
      crumbs={frame.crumbs}
      action={
        canOrder && (
          <ButtonLink kind="primary" icon="plus" to={`/app/contract/new?company=${customer.id}`}>
            {t('newContract')}
          </ButtonLink>
        )
      }
    >
      {frame.tabs}
      <div className="customer-cards">
        <div>
          <DuesCard customer={customer} canOpen={canOrder} />
          <ServicesCard customer={customer} hasTab={listCustomerTabs(caller).includes('services')} />
          <EventsPart companyId={customer.id} refreshKey={customer.last_activity} />
        </div>
        <div>
          <EndingCard customer={customer} canOpen={canOrder} />
          <FactsCard customer={customer} />
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
  const translate = tDues as unknown as Parameters<typeof describeDue>[1]
  return (
    <TitledCard title={t('column.unpaid')} className="customer-dues">
      {customer.unpaid.length === 0 ? (
        <p className="customer-none">{t('overview.nothingDue')}</p>
      ) : (
        <>
          <p className="customer-sum">
            <UnpaidAmounts unpaid={customer.unpaid} />
          </p>
          <ul className="customer-lines">
            {customer.dues.flatMap(({ id, code, dues }) =>
              dues.map((due) => (
                <li key={`${due.contractType} ${due.id}`}>
                  <ContractLink {...{ id, code, canOpen }} />
                  <span>{describeDue(due, translate)}</span>
                  <span className="customer-line-end">
                    <Amount currency={due.currency} amount={due.amount} />
                    <span className="customer-muted">{t('overview.by', { date: due.due.slice(0, 10) })}</span>
                  </span>
                </li>
              )),
            )}
          </ul>
        </>
      )}
      <Link to={buildTabPath(customer.id, 'payments')}>{t('overview.payments')}</Link>
    </TitledCard>
  )
}

function EndingCard({ customer, canOpen }: CardProps) {
  const { t } = useTranslation('customers')
  const today = formatBusinessTime(getBusinessNow()).slice(0, 10)
  const endingSoon = customer.ending
    .map((line) => ({ ...line, days: countDaysLeft(today, line.expired_date) }))
    .filter(({ days }) => days >= 0 && days <= maxReminderDays.beforeExpiry)
  return (
    <TitledCard title={t('overview.ending')}>
      {endingSoon.length === 0 ? (
        <p className="customer-none">
          {t('overview.noneEnding', { number: formatNumber(maxReminderDays.beforeExpiry) })}
        </p>
      ) : (
        <ul className="customer-lines">
          {endingSoon.map(({ id, code, name, expired_date: end, days }) => (
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
        <a key="email" href={`mailto:${profile.email}`}>
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
