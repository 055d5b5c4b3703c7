import { useTranslation } from 'react-i18next'
import type { MoneyOverview } from '#contract/staff/money.ts'
import { SkeletonCard } from '#ui/page/Skeleton.tsx'
import { AttentionCard } from '#features/money/overview/AttentionCard.tsx'
import { BarCard } from '#features/money/overview/BarCard.tsx'
import { CheckCard, type FaultDialog } from '#features/money/overview/CheckCard.tsx'
import { CreditCard } from '#features/money/overview/CreditCard.tsx'
import { MonthsCard } from '#features/money/overview/MonthsCard.tsx'

interface OverviewSectionProps {
  /** Undefined until it is loaded. */
  overview: MoneyOverview | undefined
  FaultDialog: FaultDialog
  onChanged: () => void
}

const methods = ['stripe', 'alipay', 'globalAlipay', 'transfer', 'simulate'] as const

/** What was received, what is open, and what the provider owes. */
export function OverviewSection({ overview, FaultDialog, onChanged }: OverviewSectionProps) {
  const { t } = useTranslation('money-page')
  if (!overview) return <SkeletonCard lines={8} />
  const formatMethod = (method: string) => {
    const knownMethod = methods.find((name) => name === method)
    return knownMethod ? t(`method.${knownMethod}`) : method
  }
  return (
    <div className="money-grid">
      <BarCard
        title={t('received.title', { month: overview.month })}
        header={t('column.method')}
        rows={overview.received}
        getKey={({ method }) => method}
        getLabel={({ method }) => formatMethod(method)}
        emptyText={t('received.none')}
      />
      <BarCard
        title={t('open.title')}
        header={t('column.age')}
        rows={overview.open}
        getKey={({ age }) => age}
        getLabel={({ age }) => t(`age.${age}`)}
        emptyText={t('open.none')}
      />
      <MonthsCard overview={overview} />
      <AttentionCard overview={overview} />
      <CheckCard FaultDialog={FaultDialog} />
      <CreditCard credit={overview.credit} onChanged={onChanged} />
    </div>
  )
}
