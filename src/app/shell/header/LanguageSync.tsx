import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { getUser, updateOwnUser } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import type { UserRow } from '#contract/users.ts'
import type { Language } from '#domain/accounts/users.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { notifyChanged } from '#state/live-changes.ts'
import type { SessionUser } from '#state/session-slice.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { initialLanguage } from '#app/i18n/locale-files.ts'

let syncedLanguage: Language = initialLanguage

/**
 * Stores the chosen language in the account (D68), because the account's mails use it. It is an ordinary write, which is queued offline. It
 * is sent only after a change by the switch; the sign-in sends the language itself.
 */
export function LanguageSync() {
  const dispatch = useDispatch()
  const { user } = useSignedInSession()
  const { i18n } = useTranslation()
  const language = i18n.language as Language
  useEffect(() => {
    if (syncedLanguage === language) return
    syncedLanguage = language
    void dispatch(saveLanguage(user, language))
  }, [dispatch, user, language])
  return null
}

const saveLanguage =
  (user: SessionUser, language: Language): AppThunk<void> =>
  async (_dispatch, _getState, { api }) => {
    const { readSingleRow } = await import('#local/lists/read-row.ts')
    const cachedRow = await readSingleRow<UserRow>(toHttpRequest(getUser, {}).path, 'users', user.id)
    const currentRow = cachedRow ?? { row: user, waiting: null }
    if (currentRow.row.language === language) return
    const base = { rowVersion: getBaseVersion(currentRow), values: { language: currentRow.row.language } }
    const result = await api.call(updateOwnUser, { params: { id: user.id }, body: { language } }, { base })
    if (result.kind === 'fresh') notifyChanged('account')
  }
