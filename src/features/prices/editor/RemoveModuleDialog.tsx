import { useEffect, useState } from 'react'
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

interface RelatedModule {
  code: string
  name: string
}
interface ModuleRelations {
  hidden: readonly RelatedModule[]
  visible: readonly RelatedModule[]
}

/** Hidden modules that depend on it are in the way; of visible ones the user is told and may go on (contracts 4, M149). */
export function RemoveModuleDialog({ type, modules, code, name, onClose, onRemove }: Props) {
  const { t } = useTranslation('prices')
  const relations = useRelations(type, code, modules)
  const isFree = relations !== undefined && relations.hidden.length + relations.visible.length === 0
  // Nothing to decide: it goes, and Cancel of the form brings it back.
  useEffect(() => {
    if (isFree) onRemove()
  }, [isFree, onRemove])
  if (isFree) return null
  const isBlocked = relations !== undefined && relations.hidden.length > 0
  return (
    <Dialog
      open
      title={t('removeModule.title', { name })}
      onClose={onClose}
      action={
        relations &&
        !isBlocked && (
          <Button kind="danger" onClick={onRemove}>
            {t('removeModule.go')}
          </Button>
        )
      }
      cancel={t(isBlocked ? 'removeModule.close' : 'removeModule.keep')}
      shouldFocusCancel
    >
      {!relations && <Skeleton lines={2} />}
      {relations && (
        <>
          <p>{t(isBlocked ? 'removeModule.blocked' : 'removeModule.needed')}</p>
          <ul className="price-dependents">
            {(isBlocked ? relations.hidden : relations.visible).map((module) => (
              <li key={module.code}>
                {module.name} <code>{module.code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}

/** As the server tells it, or without a line this device's catalogue. Undefined: not known yet. */
function useRelations(type: ClientType, code: string, modules: readonly ModuleRow[]): ModuleRelations | undefined {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [serverRelations, setServerRelations] = useState<ModuleRelations | 'unknown'>()
  useEffect(() => {
    if (connection !== 'online') return setServerRelations('unknown')
    let isActive = true
    void dispatch(callEndpoint(getModuleRelations, { query: { code, type } })).then((result) => {
      if (isActive) setServerRelations('output' in result && result.output ? result.output : 'unknown')
    })
    return () => void (isActive = false)
  }, [code, type, connection, dispatch])
  return serverRelations === 'unknown' ? findDependents(modules, code) : serverRelations
}
