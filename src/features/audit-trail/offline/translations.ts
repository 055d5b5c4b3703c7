/** The words of what is kept on the device and proven there come with its code. */
import en from '#locales/en/storedTrail.json'
import zh from '#locales/zh/storedTrail.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'storedTrail', en)
i18n.addResourceBundle('zh', 'storedTrail', zh)
