import { useTranslation } from 'react-i18next'
import type { ChoiceDifference } from '#features/orders/change/change-diff.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface Props {
  difference: Pick<ChoiceDifference, 'addedModules' | 'removedModules'>
  namesByCode: ReadonlyMap<string, string>
}

export function ModuleChanges({ difference: { addedModules, removedModules }, namesByCode }: Props) {
  const { t } = useTranslation('contract')
  const formatNames = (codes: readonly string[]) => joinList(codes.map((code) => namesByCode.get(code) ?? code))
  return (
    <>
      {addedModules.length > 0 && <p>{t('added', { names: formatNames(addedModules) })}</p>}
      {removedModules.length > 0 && <p>{t('removed', { names: formatNames(removedModules) })}</p>}
    </>
  )
}
