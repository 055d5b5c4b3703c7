import type { ContractState } from '#domain/contracts.ts'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

const tones: Record<ContractState, Tone> = {
  unpaid: 'warning',
  effective: 'positive',
  expired: 'danger',
  overwritten: 'neutral',
  invalid: 'neutral',
}

/** Of an order or a contract; the number it has on the wire differs between the two (D27). */
export function StatusTag({ state }: { state: ContractState }) {
  const { t } = useTranslation('orders')
  return <Tag tone={tones[state]}>{t(`status.${state}`)}</Tag>
}
