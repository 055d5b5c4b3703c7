/** The words of apps come with the code that says them: only devices of the provider's staff keep either. */
import en from '#locales/en/apps.json'
import zh from '#locales/zh/apps.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'apps', en)
i18n.addResourceBundle('zh', 'apps', zh)
