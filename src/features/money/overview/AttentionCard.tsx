import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import type { MoneyOverview } from '#contract/staff/money.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { type CurrencySum, formatSum } from '#features/money/overview/sums.ts'

/** Refunds, disputes and money that belongs to nothing yet, with links to where they are settled. */
export function AttentionCard({ overview: { refunds, disputes, unmatched } }: { overview: MoneyOverview }) {
  const { t } = useTranslation('money-page')
  const id = useId()
  const transfers = unmatched.filter(({ kind }) => kind === 'transfer')
  const tasks = unmatched.filter(({ kind }) => kind === 'task')
  return (
    <section className="card money-card" aria-labelledby={id}>
      <h2 id={id}>{t('attention.title')}</h2>
      <DescriptionList>
        <SumItem label={t('attention.refunded')} sums={refunds.filter(({ state }) => state === 'done')} />
        <SumItem label={t('attention.refunding')} sums={refunds.filter(({ state }) => state === 'running')} />
        <SumItem label={t('attention.disputes')} sums={disputes}>
          <Link className="money-link" to="/app/invoice?state=disputed">
            {t('attention.toDisputes')}
          </Link>
        </SumItem>
        <SumItem label={t('attention.transfers')} sums={transfers}>
          <Link className="money-link" to="/app/money?tab=transfers">
            {t('attention.toTransfers')}
          </Link>
        </SumItem>
        <SumItem label={t('attention.tasks')} sums={tasks}>
          <Link className="money-link" to="/app/home">
            {t('attention.toTasks')}
          </Link>
        </SumItem>
      </DescriptionList>
    </section>
  )
}

interface SumItemProps {
  label: string
  sums: readonly CurrencySum[]
  /** A link, if there is anything. */
  children?: ReactNode
}

function SumItem({ label, sums, children }: SumItemProps) {
  const { t } = useTranslation('money-page')
  return (
    <DescriptionItem label={label}>
      {sums.length === 0 && t('attention.none')}
      {sums.map((sum) => (
        <span key={sum.currency} className="money-line">
          <span className="amount">{formatSum(sum)}</span>{' '}
          <span className="money-count">
            {t('attention.count', { count: sum.count, number: formatNumber(sum.count) })}
          </span>
        </span>
      ))}
      {sums.length > 0 && children}
    </DescriptionItem>
  )
}
