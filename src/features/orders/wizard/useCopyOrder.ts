import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { readOrder } from '#features/orders/draft/submit-order.ts'
import { readRow } from '#local/lists/read-row.ts'
import { useDispatch } from '#state/use-store.ts'

/** The order that `?from=` names, from the device or the server; null: none is named, or it cannot be had now. */
export function useCopyOrder(): { row: OrderRow | null; onCopied: (isFilled: boolean) => void } {
  const [query, setQuery] = useSearchParams()
  const dispatch = useDispatch()
  const { t } = useTranslation('wizard')
  const [row, setRow] = useState<OrderRow | null>(null)
  const from = Number(query.get('from') ?? 0)
  useEffect(() => {
    if (!Number.isInteger(from) || from <= 0) return setRow(null)
    let isActive = true
    void (async () => {
      const localRow = await readRow<OrderRow>('orders', from)
      const result = localRow ? null : await dispatch(readOrder(from))
      const loadedOrder = result?.kind === 'fresh' || result?.kind === 'cached' ? result.output : null
      if (!isActive) return
      setRow(localRow?.row ?? loadedOrder)
      if (!localRow && !loadedOrder) showToast({ kind: 'note', text: t('again.notHere') })
    })()
    return () => void (isActive = false)
  }, [from, dispatch, t])
  /** Once it has been used the address says so: a reload must not fill the form again. */
  const onCopied = (isFilled: boolean) => {
    setRow(null)
    const step = isFilled ? null : query.get('step')
    setQuery(step === null ? {} : { step }, { replace: true })
  }
  return { row, onCopied }
}
