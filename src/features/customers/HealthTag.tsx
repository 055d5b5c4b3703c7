import { type CustomerHealth, customerHealth } from '#domain/customers.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { useTranslation } from 'react-i18next'

const tones: Record<number, TagTone> = {
  [customerHealth.good]: 'positive',
  [customerHealth.notice]: 'warning',
  [customerHealth.fault]: 'danger',
} satisfies Partial<Record<CustomerHealth, TagTone>>

/** Shows the state of a customer's worst service, or a dash without a service. */
export function HealthTag({ health }: { health: number }) {
  const { t } = useTranslation('customers')
  if (health === customerHealth.none) return <NoValue />
  return <Tag tone={tones[health] ?? 'neutral'}>{t(`health.${health as 1}`)}</Tag>
}
