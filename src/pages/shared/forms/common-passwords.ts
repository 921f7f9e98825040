/** Passwords that lists of stolen ones have most often, of at least 8 characters, in small letters. */
const words = `
password password1 password12 password123 password1234 password! password1! passw0rd p@ssword
p@ssw0rd passwort passwort1 passwort12 passwort123 passwort! kennwort kennwort1 12345678
123456789 1234567890 0123456789 0987654321 87654321 987654321 9876543210 11111111 22222222
66666666 77777777 88888888 99999999 00000000 11223344 12121212 12341234 123123123 123321123
147258369 159753159 13131313 1111111111 1234567a a1234567 a12345678 a123456789 aa123456
aa12345678 abc12345 abcd1234 abcdefgh abcdefg1 asdfasdf asdfghjk asdfghjkl asdf1234 qwertyui
qwertyuiop qwerty12 qwerty123 qwerty1234 qwertz123 qwertzui qwertzuiop qwer1234 1q2w3e4r
1q2w3e4r5t 1qaz2wsx 1qazxsw2 q1w2e3r4 q1w2e3r4t5 zaq12wsx zxcvbnm1 zxcvbnm123 trustno1 letmein1
letmein123 welcome1 welcome123 willkommen willkommen1 hallo123 hallo1234 hallohallo changeme
changeme1 test1234 testtest test12345 geheim123 secret123 admin123 admin1234 administrator
iloveyou iloveyou1 sunshine sunshine1 princess princess1 football football1 fussball baseball
basketball superman batman123 starwars computer internet whatever michelle jennifer charlie1
liverpool chocolate butterfly dragon123 monkey123 master123 schatz123 schalke04 sommer123
samsung1
`

const common = new Set(words.trim().split(/\s+/))

export const isCommon = (password: string): boolean => common.has(password.toLowerCase())
