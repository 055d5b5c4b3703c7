import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { getUser, updateOwnUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserRow } from '#contract/users.ts'
import type { Language } from '#domain/accounts/users.ts'
import { versionOf } from '#local/lists/list-view.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { tellChanged } from '#state/live-changes.ts'
import type { SessionUser } from '#state/session-slice.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { first } from '#app/i18n/locale-files.ts'

/** The last that was chosen by the switch; before that, the one in which the page began. */
let chosen: Language = first

/**
 * The account's language follows the switch (D68), for its mails are in it: a write like any other, which waits on the device
 * where there is no line. Nothing but the switch changes it here; the sign-in brings its own word along.
 */
export function OwnLanguage() {
  const dispatch = useDispatch()
  const { user } = useSignedIn()
  const { i18n } = useTranslation()
  const language = i18n.language as Language
  useEffect(() => {
    if (chosen === language) return
    chosen = language
    void dispatch(setOwnLanguage(user, language))
  }, [dispatch, user, language])
  return null
}

const setOwnLanguage =
  (user: SessionUser, language: Language): AppThunk<void> =>
  async (_dispatch, _getState, { api }) => {
    const { readSingle } = await import('#local/lists/read-row.ts')
    const here = await readSingle<UserRow>(toWire(getUser, {}).path, 'users', user.id)
    const shown = here ?? { row: user, waiting: null }
    if (shown.row.language === language) return
    const base = { rowVersion: versionOf(shown), values: { language: shown.row.language } }
    const sent = await api.call(updateOwnUser, { params: { id: user.id }, body: { language } }, { base })
    if (sent.kind === 'fresh') tellChanged('account')
  }
