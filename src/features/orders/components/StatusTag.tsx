import type { ContractState } from '#domain/contracts.ts'
import { Tag, type Tone } from '#ui/Tag.tsx'
import { useWords } from '#ui/words.ts'

const tones: Record<ContractState, Tone> = {
  unpaid: 'warning',
  effective: 'positive',
  expired: 'danger',
  overwritten: 'neutral',
  invalid: 'neutral',
}

/** Of an order or a contract; the number it has on the wire differs between the two (D27). */
export function StatusTag({ state }: { state: ContractState }) {
  const t = useWords('orders')
  return <Tag tone={tones[state]}>{t(`status.${state}`)}</Tag>
}
