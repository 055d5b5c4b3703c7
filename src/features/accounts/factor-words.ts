/** The words of the second factor come with its code, which nobody needs before a password was right. */
import en from '#locales/en/factors.json'
import zh from '#locales/zh/factors.json'
import { addTexts } from '#ui/texts.ts'

addTexts('en', 'factors', en)
addTexts('zh', 'factors', zh)
