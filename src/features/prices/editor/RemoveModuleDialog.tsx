import { useEffect } from 'react'
import { getModuleRelations, type ModuleRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { findDependents } from '#domain/catalogue/modules.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  type: ClientType
  modules: readonly ModuleRow[]
  code: string
  name: string
  onClose: () => void
  onRemove: () => void
}

interface Dependents {
  /** Whether hidden modules depend on it, so that it cannot be removed. */
  isBlocking: boolean
  modules: readonly Pick<ModuleRow, 'code' | 'name'>[]
}

/** Prevents the removal of a module that hidden modules need. If only visible modules need it, shows a warning (contracts 4, M149). */
export function RemoveModuleDialog({ type, modules, code, name, onClose, onRemove }: Props) {
  const { t } = useTranslation('prices')
  const dependents = useDependents(type, code, modules)
  const isFree = dependents?.modules.length === 0
  // No other module depends on it, so it is removed without a question. Cancelling the form restores it.
  useEffect(() => {
    if (isFree) onRemove()
  }, [isFree, onRemove])
  if (isFree) return null
  const isBlocked = dependents?.isBlocking === true
  return (
    <Dialog
      open
      title={t('removeModule.title', { name })}
      onClose={onClose}
      action={
        dependents &&
        !isBlocked && (
          <Button kind="danger" onClick={onRemove}>
            {t('removeModule.go')}
          </Button>
        )
      }
      cancel={t(isBlocked ? 'removeModule.close' : 'removeModule.keep')}
      shouldFocusCancel
    >
      {dependents ? (
        <>
          <p>{t(isBlocked ? 'removeModule.blocked' : 'removeModule.needed')}</p>
          <ul className="price-dependents">
            {dependents.modules.map((module) => (
              <li key={module.code}>
                {module.name} <code>{module.code}</code>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Skeleton lines={2} />
      )}
    </Dialog>
  )
}

/** Asks the server, or offline the device's catalogue. Returns undefined until there is a response. */
function useDependents(type: ClientType, code: string, modules: readonly ModuleRow[]): Dependents | undefined {
  const response = useServerResponse(getModuleRelations, { query: { code, type } })
  if (!response) return undefined
  const relations = response.kind === 'fresh' ? response.output : findDependents(modules, code)
  const isBlocking = relations.hidden.length > 0
  return { isBlocking, modules: isBlocking ? relations.hidden : relations.visible }
}
