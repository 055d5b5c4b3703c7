import { useTranslation } from 'react-i18next'
import { useConnection, useSaveBlocked } from '#state/use-store.ts'

/**
 * Returns the label of a button that saves a form. Without a connection it says that the change is saved on this device, unless nothing can
 * be saved.
 */
export function useSubmitLabel(label: string): string {
  const { t } = useTranslation('ui')
  const isOnline = useConnection().networkState === 'online'
  const saveBlock = useSaveBlocked()
  return isOnline || saveBlock ? label : t('form.saveHere')
}
