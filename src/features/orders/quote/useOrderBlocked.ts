import type { ClientType } from '#domain/access.ts'
import { useSelector } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { selectPrice } from '#features/orders/slice.ts'

/** Why nothing can be ordered now; null: it can. `price`: whether the list in force is here. */
export function useWhyNoOrder(type: ClientType, price: boolean): string | null {
  const { t } = useTranslation('orders')
  const { t: words } = useTranslation('ui')
  const lapsed = useSelector(({ connection }) => connection.lapsed)
  const asking = useSelector((state) => selectPrice(state, type))
  if (lapsed) return words('form.lapsed')
  if (price) return null
  if (asking?.kind !== 'failed') return t('price.sending')
  const { problem } = asking
  if (problem.code === 'OFFLINE') return t('price.offline')
  return problem.code === 'NOT_FOUND' ? t('price.none') : t('price.failed', { why: problemWords(problem) })
}
