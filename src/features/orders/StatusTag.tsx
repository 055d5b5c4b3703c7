import type { ContractState } from '#domain/contracts.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

const toneByState: Record<ContractState, TagTone> = {
  unpaid: 'warning',
  effective: 'positive',
  expired: 'danger',
  overwritten: 'neutral',
  invalid: 'neutral',
}

/** Takes the name of the state, because the number sent by the server differs between order and contract (D27). */
export function StatusTag({ state }: { state: ContractState }) {
  const { t } = useTranslation('orders')
  return <Tag tone={toneByState[state]}>{t(`status.${state}`)}</Tag>
}
