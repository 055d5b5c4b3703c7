import { useEffect, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Notice } from '#ui/display/Notice.tsx'
import { useTranslation } from 'react-i18next'
import type { DialogRefusal } from '#features/orders/detail/useContractDialog.ts'

/** Delay in ms after a response, until its row has been read from the device. Before, the notice could contradict that row. */
const readBackMs = 300

interface Props {
  refusal: DialogRefusal
  isFetching: boolean
  onClose: () => void
}

/** Says why the address of a payment or an extension opens no dialog. */
export function DialogRefusalNotice({ refusal, isFetching, onClose }: Props) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const [isRead, setRead] = useState(false)
  useEffect(() => {
    if (isFetching) return
    const timer = setTimeout(() => setRead(true), readBackMs)
    return () => clearTimeout(timer)
  }, [isFetching])
  if (!isRead) return null
  return (
    <Notice
      look="order-note"
      tone="neutral"
      icon="info"
      actions={<Button onClick={onClose}>{tUi('form.close')}</Button>}
    >
      <p>
        {refusal.kind === 'pay' ? t('nothingPayable') : t('notExtendable', { reason: t(`whyNot.${refusal.reason}`) })}
      </p>
    </Notice>
  )
}
