import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { readOrder } from '#features/orders/draft/submit-order.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

const findOrder =
  (id: number): AppThunk<OrderRow | null> =>
  async (dispatch) => {
    const localRow = await readRow<OrderRow>('orders', id)
    if (localRow) return localRow.row
    const result = await dispatch(readOrder(id))
    return result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
  }

/** Returns the order in `?from=`. `row` is null if the address names no order or the order cannot be loaded now. */
export function useCopyOrder(): { row: OrderRow | null; onCopied: (isFilled: boolean) => void } {
  const [query, setQuery] = useSearchParams()
  const dispatch = useDispatch()
  const { t } = useTranslation('wizard')
  const [row, setRow] = useState<OrderRow | null>(null)
  const from = Number(query.get('from') ?? 0)
  useEffect(() => {
    if (!Number.isInteger(from) || from <= 0) return setRow(null)
    let isActive = true
    void dispatch(findOrder(from)).then((order) => {
      if (!isActive) return
      setRow(order)
      if (!order) showToast({ kind: 'note', text: t('again.notHere') })
    })
    return () => void (isActive = false)
  }, [from, dispatch, t])
  /** Removes the order from the address, so that a reload does not fill the form again. */
  const onCopied = (isFilled: boolean) => {
    setRow(null)
    const step = isFilled ? null : query.get('step')
    setQuery(step === null ? {} : { step }, { replace: true })
  }
  return { row, onCopied }
}
