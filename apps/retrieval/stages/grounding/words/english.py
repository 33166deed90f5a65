"""English words of business prose that say the same; one group a line, each word in one group.

Two words are of one group only if one may stand for the other in any sentence of a report: what happened, who did it
and which way it went stay the same. Irregular forms are written out; regular ones have one stem anyway.
"""

from __future__ import annotations

from typing import Final

SAME: Final = """
buy bought purchase repurchase buyback sourced source acquire acquisition takeover
sell sold sale dispose disposal divest divestment divestiture
lead led head run ran leader managing manage manager
succeed successor replace replacement
leave left depart departure gone exit
resign resignation quit
appoint appointment name nominate
join recruit hire hiring
retire retirement stepping
begin began begun start commence commencement launch
stop stopped cease discontinue discontinuation halt
end finish complete completion
conclude conclusion
shut close closure closed closing
open opened opening
prevent avoid
write wrote written underwrite underwrote
allow permit permission authorize authorise authorization authorisation entitle
require requirement oblige obligation mandatory must shall duty obligatory need needed
prohibit prohibition forbid forbidden ban bar disallow
restrict restriction limit limitation cap ceiling maximum max
minimum floor
threshold trigger
breach violate violation infringe infringement
comply compliance compliant adhere adherence
approve approval consent consented
reject refuse refusal
demand insist
seek sought
propose proposal suggest
recommend recommendation
plan intend intention aim target objective goal
expect expectation anticipate forecast guidance outlook predict project projection foresee estimate
assume assumption presume premise
confirm reaffirm reiterate affirm
promise commit commitment pledge undertake undertaking
agree agreement contract deal
win won secure awarded
lose lost
give gave given grant hand
take took taken
pay paid payment payout payable
spend spent spending expenditure outlay
cost costs expense expenses
earn earned earnings profit profits
owner own owned owns hold held
stake stakes holding
borrow borrowed borrowing
lend lent lending loan loans
debt indebtedness
owe owed due outstanding
repay repaid repayment redeem redemption
return returned returning
distribute distribution
invest investment
raise raised hike
rise rose risen lift lifted boost boosted increase grow grew grown growth climb climbed gain higher up advance
fall fell fallen decrease drop dropped lower down reduce reduction shrink shrank shrunk lessen diminish
improve improvement better
worsen deteriorate deterioration worse
strong strongly robust solid
weak weakness soft subdued sluggish
widen widening broaden
narrow narrowed narrowing
accelerate faster quicker quickly
slow slower slowed slowdown
delay delayed postpone postponed defer deferral late
early earlier sooner ahead
stable unchanged steady constant flat
change changed alter alteration modify modification amend amendment
switch shift shifted move moved moving transfer relocate relocation
extend extension prolong
renew renewal renewed
mature matures maturity expire expiry expiration
terminate termination cancel cancellation
valid effective
offset compensate compensated counterbalance cushion
partly partially part
mainly mostly primarily largely chiefly predominantly principally especially
entirely completely fully wholly
only solely exclusively merely just
about approximately roughly around nearly almost
exceed surpass above over
below under beneath
cause caused causes driver drove driven drive reason result resulted resulting stem stems stemmed trace attribute \
attributable reflect reflected reflecting
weigh weighed weighing hurt burden burdened hit suffer suffered dent harm pressure impair
help helped support supported benefit benefited aided buoy
contribute contributed contribution add added
include included comprise comprised consist consisted contain cover covered covers encompass
exclude excluded omit omitted
divide divided ratio relative
calculate compute determine measure measured calculation
compare compared comparison versus
make made
client clients customer customers
employee employees staff workforce worker workers personnel headcount people
supplier suppliers vendor vendors provider providers
investor investors shareholder shareholders stockholder stockholders shareowner holder holders
director directors
chairman chair chairwoman chairs chairperson
regulator authority supervisor
auditor audit audited auditing
lawsuit suit litigation proceeding proceedings sued
court tribunal
fine fined penalty penalties
settle settled settlement
deny denied denial dispute contest
allege alleged allegation accuse
defend defence defense
guilt liability
factory factories plant plants facility site sites
office offices branch branches
shop shops store stores outlet outlets
country countries nation
abroad overseas foreign
domestic home
market markets
product products goods
service services
price prices pricing tariff
wage wages salary salaries
bonus bonuses
order orders ordering booking
volume volumes quantity
output production produce produced manufacture manufacturing maker makers manufacturer manufacturers producer \
producers
deliver delivered delivery ship shipped shipment shipments
shortage scarcity
stock stocks inventory inventories destock destocking
share shares equity equities
fund funds
fee fees charge charges charged
currency currencies exchange
cheap cheaper inexpensive
expensive costlier dearer
big bigger large larger great greater
biggest largest greatest
small smaller little
long longer lengthy
short shorter
many several various numerous multiple
few fewer
new newly
old former previous previously formerly
existing current currently present
next following subsequent subsequently after once
before prior
yearly annual annually
often frequent frequently
seldom rarely infrequent infrequently
possible possibly potential
likely probable probably probability
unlikely improbable
certain sure
enough sufficient adequate suffice
important material significant significantly substantial considerable sharply
insufficient inadequate
risk risks danger exposure
safe safety
loss losses
default defaults
insolvency insolvent bankrupt bankruptcy
impairment impairments impaired writedown write-down
provision provisions reserve reserves
restructuring restructure reorganisation reorganization
saving savings save
efficient efficiency
tax taxes taxation
reimburse reimbursed reimbursement refund refunded
insurer insurers
premium premiums
bond bonds notes
rate rates
rating ratings
yield yields
guarantee guaranteed guarantor
subsidiary subsidiaries
partner partners
competitor competitors rival rivals competition competitive
merge merged merger combine combined combination
separate separately
create created establish established establishment found founded set build built construct construction
develop development developing
introduce introduced introduction
test tested trial
publish published publication disclose disclosed disclosure
announce announced announcement
report reported
tell told inform informed notify notified notification notice
ask asked request requested
review reviewed examine examined inspect inspection inspections assess assessed assessment evaluate evaluated \
evaluation
monitor monitored monitoring oversee oversight supervise supervision
record recorded recognise recognised recognize recognized recognition book booked
use used usage utilise utilize
draw drawn drew
undrawn unused
collect collected receive received receipt get got gotten obtain obtained
keep kept retain retained retention maintain maintained maintenance remain remained stay stayed
withdraw withdrew withdrawn withdrawal pull pulled
deposit deposits
account accounts
balance balances
money cash
fit fitted install installed installation
enrol enroll enrolled enrollment
treat treated treatment
drug drugs medicine medicines
patient patients
storm hurricane
strike struck
lock locked
supply supplied
car cars motor automotive vehicle vehicles
house houses housing homes household
building buildings property properties
incident incidents
attack attacks
protect protected protection
train trained training
vote votes voting
meeting meetings
member members
person persons individual individuals
responsible responsibility
independent independence
mean means meaning defined define definition refer refers referred
equal equals equivalent correspond
count counted counts
temporary temporarily
permanent permanently
immediately promptly instantly
within inside
during throughout
until till
amount amounted sum
proportion fraction percentage
total overall aggregate
double doubled twofold
depend depends depending dependent
link linked tied
relate related relating relation concern concerned concerning
involve involved involving
accept accepted acceptance
choose chose chosen choice elect elected option
happen happened occur occurred occurrence take-place
show showed shown
see saw seen
try tried attempt attempted
fail failed failure
error errors mistake mistakes
wrong wrongly erroneous erroneously incorrect
misstatement misstated
fraud fraudulent
delegate delegated outsource outsourced outsourcing
document documented
sign signed signature
register registered
waive waived waiver forgo forgone
dismiss dismissed dismissal
remediate remediated remediation remedy
mandate mandates
wait await awaiting waiting
send sent dispatch dispatched submit submitted submission lodge lodged file filed
meet met satisfy satisfied fulfil fulfilled fulfill fulfilment
erase erased erasure delete deleted deletion
achieve achieved attain attained
execute executed perform performed
talks negotiation negotiations negotiate
continue continued persist persisted
sector industry
investigate investigation probe inquiry enquiry
adverse unfavourable unfavorable
favourable favorable
difficult challenging hard
severe serious grave
sudden suddenly abrupt abruptly
gradual gradually
convert converted conversion
oppose opposed object objected objection
outage interruption disruption
eligible qualify
insure insured insurance
theft stolen
flood floods flooding flooded
sole only
former ex
lawful legal legally
unlawful illegal illegally
invoice invoiced bill billed billing
quarterly quarter
weekly week
daily day
tenant tenants lessee lessees
landlord landlords lessor lessors
pension pensions retirement
premises building
beneficiary beneficiaries
underlying adjusted
"""
"""Words that may be added to, or left out of, what a passage says: they say nothing of their own."""
FILLING: Final = """
require requires required need needs needed possible want wants person persons party parties between neither except
edged forward beforehand mentioned predecessor among cited shown together eg ie thing things matter matters way ways
fact case cases basis kind type types form forms part parts practice process circumstance circumstances situation
event item items point points area areas aspect factor factors element respect regard regarding terms concerning
latter former both either each every all any same itself themselves others another other such there here now then
still already again yet even indeed actually namely specifically particular particularly especially notably meanwhile
moreover furthermore addition additionally instead although though despite whereas while however nevertheless
nonetheless hence accordingly consequently result turn say says said state states stated report reports reported note
notes noted mention mentions describe describes described explain explains explained cite cites name names named list
lists listed give gives identify identifies identified attribute attributes attributed outline sets out provides
provide provided contains pointed indicate indicates indicated according opinion believe believes consider considers
considered management company group firm business issuer fund organisation organization entity institution corporation
filing document section policy prospectus passage text statement statements letter table come comes came go goes went
put puts bring brings brought make makes take takes took get gets got become becomes became remain remains stand
stands stood lie lies lay keep let seem appear appears do does did done have has had having be been being exist exists
existing apply applies applied concern concerns carry carries carried carrying year years quarter quarters month
months week weeks day days period periods time times date dates whole entire total overall full actual specific
respective relevant first gap plus two three four five six one everything anything nothing something someone anyone
nobody whoever whatever whichever everyone whose amongst amid towards toward upon via per otherwise else once absolute
absolutely broadly balance side sides band step line pace running row consecutive successive last next currently
presently today nowadays so far unable cannot booked worth counted counting amounts totals figures numbers value
values level levels sum amount like as similar equally alike jointly combined respectively separately asked purpose
purposes effect effects extent manner connection relation context known seen serves places placed play plays principle
usually normally typically rule always ever never roughly almost nearly just under slightly over somewhat further also
too only solely merely reach reached
"""
"""What several words say that one word says too; the first is what is read for them."""
PHRASES: Final = (
    (
        "company",
        r"the\s+(?:bank|insurer|utility|drugmaker|lender|retailer|manufacturer|carrier|partnership|trust|fund)\b(?!\s+\w*(?:business|manager|deal))",
    ),
    ("company", r"general\s+rule\b|as\s+a\s+rule\b|generally\b|in\s+general\b"),
    ("ceo", r"chief\s+executive(?:\s+officer)?\b"),
    ("cfo", r"chief\s+financial\s+officer\b|finance\s+director\b"),
    ("coo", r"chief\s+operating\s+officer\b"),
    ("cro", r"chief\s+risk\s+officer\b"),
    ("defer", r"h[eo]ld\s+back\b|withh[eo]ld\b"),
    ("happen", r"t(?:akes?|ook|aken)\s+place\b|was\s+held\b"),
    ("resume", r"(?:is|are|was|were)\s+(?=\w+ing\s+again\b)"),
    (
        "maximum",
        r"(?:not|no)\s+(?:\w+\s+){0,2}?(?:more|greater|higher|longer)\s+than\b|not\s+exceed(?:ing)?\b|at\s+most\b",
    ),
    ("minimum", r"(?:not|no)\s+(?:\w+\s+){0,2}?(?:less|fewer|lower)\s+than\b|at\s+least\b"),
    ("stop", r"no\s+longer\b|not\s+(?:any\s?more)\b|g(?:a|i)ven?\s+up\b|pull(?:ed|s)?\s+out\s+of\b"),
    ("withdraw", r"pull(?:ed|s|ing)?\s+(?:\w+\s+)?out\b|t(?:ake|ook)\s+(?:\w+\s+)?out\b"),
    ("succeed", r"t(?:ake|ook|akes|aken)\s+over\b|follow(?:s|ed)\s+(?=[A-Z])"),
    ("reduce", r"br(?:ing|ought)\s+down\b|(?:cut|scal)(?:s|ting|e|ed)?\s+back\b|(?<!share\s)cuts?\b"),
    ("fall", r"(?:came|come|comes|went|go|goes|gone|going|moved?)\s+down\b"),
    ("rise", r"(?:came|come|comes|went|go|goes|gone|going|moved?|push(?:ed|es)?)\s+up\b"),
    ("after", r"in\s+the\s+wake\s+of\b"),
    (
        "because",
        r"on\s+(?:the\s+back|account)\s+of\b|owing\s+to\b|due\s+(?:mainly\s+)?to\b|thanks\s+to\b|by\s+reason\s+of\b|down\s+to\b",
    ),
    (
        "exclude",
        r"le(?:ave|aves|ft|aving)\s+(?:\w+\s+)?out\b|(?:do(?:es)?|is|are)\s+not\s+(?:count(?:ed)?|included?)\b",
    ),
    ("complete", r"made\s+(?:up\b(?!\s+of|\s+[\d$])|good\b)|caught\s+up\b"),
    ("amount", r"ma(?:de|kes?)\s+up\b|account(?:s|ed|ing)?\s+for\b"),
    ("perform", r"carr(?:y|ies|ied)\s+out\b"),
    ("begin", r"c[ao]me\s+(?:into\s+(?:force|effect)|on\s+line|online)\b|t(?:akes?|ook)\s+effect\b"),
    ("instead", r"rather\s+than\b|instead\s+of\b"),
    ("repurchase", r"b(?:uy|uying|ought)\s+back\b"),
    ("half", r"50\s?%"),
)
