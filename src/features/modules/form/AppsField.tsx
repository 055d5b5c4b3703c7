import { useState } from 'react'
import type { AppRow } from '#contract/staff/apps.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { normaliseText } from '#domain/text.ts'
import { Button } from '#ui/display/Button.tsx'
import { Combobox } from '#ui/form/Combobox.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'
import { FlagFields } from '#features/modules/form/FlagFields.tsx'

interface AppsFieldProps {
  apps: readonly AppRow[] | undefined
  value: readonly ModuleApp[]
  error: string | undefined
  isOptional: boolean
  onChange: (selectedApps: ModuleApp[]) => void
}

/** Apps per page (contracts 9). */
const pageSize = 4
const maxChoices = 20

/** Selects the apps of a module, four per page, each with its settings (M139). */
export function AppsField({ apps: cachedApps, value: selectedApps, error, isOptional, onChange }: AppsFieldProps) {
  const { t } = useTranslation('modules')
  const apps = cachedApps ?? []
  const [searchText, setSearchText] = useState('')
  const [requestedPage, setRequestedPage] = useState(1)
  const pageCount = Math.max(1, Math.ceil(selectedApps.length / pageSize))
  const page = Math.min(requestedPage, pageCount)
  const normalisedSearch = normaliseText(searchText.trim())
  const availableApps = apps.filter((app) => !selectedApps.some(({ code }) => code === app.code))
  const matches = availableApps.filter((app) => normaliseText(`${app.code} ${app.name}`).includes(normalisedSearch))
  const choices = matches.slice(0, maxChoices).map((app) => ({
    id: app.id,
    label: app.name,
    detail: `${app.code} ${app.version}`,
  }))
  const add = (id: number | null) => {
    const addedApp = apps.find((app) => app.id === id)
    if (!addedApp) return
    onChange([...selectedApps, { code: addedApp.code, flag: {} }])
    setSearchText('')
    setRequestedPage(Math.ceil((selectedApps.length + 1) / pageSize))
  }
  const change = (app: ModuleApp) =>
    onChange(selectedApps.map((selectedApp) => (selectedApp.code === app.code ? app : selectedApp)))
  const remove = (code: string) => onChange(selectedApps.filter((selectedApp) => selectedApp.code !== code))
  const note =
    apps.length === 0
      ? t('apps.notHere')
      : matches.length === 0
        ? t('apps.noneFound')
        : matches.length > maxChoices
          ? t('apps.more', { count: matches.length - maxChoices })
          : null
  return (
    <fieldset className={`module-field${error ? ' wrong' : ''}`}>
      <legend>
        {t('form.apps')}
        {isOptional && <span className="field-optional">{t('form.optional')}</span>}
      </legend>
      <Combobox
        label={t('apps.add')}
        name="add-app"
        value=""
        placeholder={t('apps.placeholder')}
        choices={choices}
        note={note}
        error={error}
        onSearch={setSearchText}
        onChoose={add}
      />
      {selectedApps.length === 0 ? (
        <p className="field-help">{t('apps.none')}</p>
      ) : (
        <ul className="module-apps" aria-label={t('form.apps')}>
          {selectedApps.slice((page - 1) * pageSize, page * pageSize).map((selectedApp) => {
            const app = apps.find(({ code }) => code === selectedApp.code)
            return (
              <li key={selectedApp.code}>
                <div className="module-app-head">
                  <span>
                    <strong>{app?.name ?? selectedApp.code}</strong> <code>{selectedApp.code}</code>
                    <span className="field-help">
                      {app ? t('apps.version', { version: app.version }) : cachedApps && t('apps.unknown')}
                    </span>
                  </span>
                  <Button kind="plain" icon="remove" onClick={() => remove(selectedApp.code)}>
                    {t('apps.remove', { name: app?.name ?? selectedApp.code })}
                  </Button>
                </div>
                {cachedApps && <FlagFields app={selectedApp} flags={app?.flag ?? []} onChange={change} />}
              </li>
            )
          })}
        </ul>
      )}
      {pageCount > 1 && (
        <div className="module-pages">
          <span>{t('apps.counted', { count: selectedApps.length })}</span>
          <Pagination page={page} pageCount={pageCount} onPage={setRequestedPage} />
        </div>
      )}
    </fieldset>
  )
}
