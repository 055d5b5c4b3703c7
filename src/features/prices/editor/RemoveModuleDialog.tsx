import { useEffect, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { getModuleRelations, type ModuleRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { findDependents } from '#domain/catalogue/modules.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
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

type NamedModules = readonly { code: string; name: string }[]

interface Dependents {
  /** Hidden modules cannot do without it, so it stays. */
  isBlocking: boolean
  modules: NamedModules
}

/** A module that hidden ones depend on stays; of visible ones the user is warned and may go on (contracts 4, M149). */
export function RemoveModuleDialog({ type, modules, code, name, onClose, onRemove }: Props) {
  const { t } = useTranslation('prices')
  const dependents = useDependents(type, code, modules)
  const isFree = dependents?.modules.length === 0
  // There is nothing to decide: Cancel of the form brings the module back.
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

/** As the server says, or offline this device's catalogue. Undefined: not read yet. */
function useDependents(type: ClientType, code: string, modules: readonly ModuleRow[]): Dependents | undefined {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [serverRelations, setServerRelations] = useState<OutputOf<typeof getModuleRelations> | 'unknown'>()
  useEffect(() => {
    if (connection !== 'online') return setServerRelations('unknown')
    let isActive = true
    void dispatch(callEndpoint(getModuleRelations, { query: { code, type } })).then((result) => {
      if (isActive) setServerRelations('output' in result && result.output ? result.output : 'unknown')
    })
    return () => void (isActive = false)
  }, [code, type, connection, dispatch])
  const relations: Record<'hidden' | 'visible', NamedModules> | undefined =
    serverRelations === 'unknown' ? findDependents(modules, code) : serverRelations
  if (!relations) return undefined
  const isBlocking = relations.hidden.length > 0
  return { isBlocking, modules: isBlocking ? relations.hidden : relations.visible }
}
